import { Cancellation } from './cancellation.js';

const REASON = new Error('gone');

test('cancels its signals with its reason, those that are made afterwards too', () => {
  const cancellation = new Cancellation();
  const before = cancellation.toSignal();
  expect(before.aborted).toBe(false);
  cancellation.cancel(REASON);
  expect([before.reason, cancellation.toSignal().reason] as unknown[]).toEqual([REASON, REASON]);
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
  expect(cancellation.reason).toBe(REASON);
});
