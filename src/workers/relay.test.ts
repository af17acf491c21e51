import { Relay } from './relay.js';

const QUESTION = { type: 'ask', id: 7, name: 'a question', argument: 'how', timeoutMs: 30 } as const;

test('each worker is asked, and its answer stands with its number', async () => {
  const relay = new Relay();
  const answering = (number: number) => ({
    number,
    send: (message: { readonly id: number }) =>
      relay.hear({ type: 'answer', id: message.id, answer: `${number}` }),
  });
  expect(await relay.ask([answering(2), answering(1)], QUESTION)).toEqual([
    { number: 2, answer: '2' },
    { number: 1, answer: '1' },
  ]);
});

test('a worker that is silent, cannot answer or ends delays no one for longer than the question allows', async () => {
  const relay = new Relay();
  const silent = { number: 1, send: () => undefined };
  const unable = {
    number: 2,
    send: ({ id }: { readonly id: number }) => relay.hear({ type: 'no answer', id }),
  };
  expect(await relay.ask([silent, unable], QUESTION)).toEqual([
    { number: 1, answer: undefined },
    { number: 2, answer: undefined },
  ]);
  const asked = relay.ask([silent], { ...QUESTION, timeoutMs: 600_000 });
  relay.lose(2);
  relay.lose(1);
  expect(await asked).toEqual([{ number: 1, answer: undefined }]);
});

test('an answer that comes too late is no answer to the next question', async () => {
  const relay = new Relay();
  const ids: number[] = [];
  const late = { number: 1, send: ({ id }: { readonly id: number }) => void ids.push(id) };
  await relay.ask([late], QUESTION);
  const next = relay.ask([late], QUESTION);
  relay.hear({ type: 'answer', id: ids[0]!, answer: 'the first' });
  relay.hear({ type: 'answer', id: ids[1]!, answer: 'the second' });
  expect(await next).toEqual([{ number: 1, answer: 'the second' }]);
});
