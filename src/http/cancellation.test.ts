import { Cancellation } from './cancellation.js';

const REASON = new Error('gone');

test('cancels its children and signals with its reason, those that are made afterwards too', () => {
  const cancellation = new Cancellation();
  const before = [cancellation.child().toSignal(), cancellation.toSignal()];
  expect(before.some(({ aborted }) => aborted)).toBe(false);
  cancellation.cancel(REASON);
  const after = [cancellation.child().toSignal(), cancellation.toSignal()];
  expect([...before, ...after].map(({ reason }) => reason as unknown)).toEqual(Array(4).fill(REASON));
});

test('the first reason stays, and each listener is called once', () => {
  const cancellation = new Cancellation();
  const heard: string[] = [];
  const removed = (): void => void heard.push('removed');
  cancellation.onCancel(removed);
  cancellation.onCancel(() => heard.push('first'));
  cancellation.offCancel(removed);
  cancellation.cancel(REASON);
  cancellation.cancel(new Error('later'));
  expect(heard).toEqual(['first']);
  expect(() => cancellation.throwIfCancelled()).toThrow(REASON);
});

test('a child is cancelled without its parent', () => {
  const cancellation = new Cancellation();
  const child = cancellation.child();
  child.cancel();
  expect(() => child.throwIfCancelled()).toThrow('cancelled');
  expect(() => cancellation.throwIfCancelled()).not.toThrow();
});
