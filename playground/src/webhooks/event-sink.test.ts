import { EventSink } from './event-sink.js';

describe('the sink', () => {
  const receive = (repeat: string | undefined, data: object): boolean => {
    const sink = new EventSink(() => 0);
    const headers = { 'content-type': 'application/json', 'webhook-id': 'e1', 'webhook-repeat': repeat };
    const body = Buffer.from(JSON.stringify({ type: 'T', data }));
    const reply = { code: () => ({ send: () => undefined }) };
    sink.receive({ headers, body }, reply as never);
    return sink.list()[0]!.isRepeat;
  };

  test.each([
    ['a first delivery', undefined, {}, false],
    ['one that is tried again', 'true', {}, true],
    ["an operator's redelivery", 'operator', {}, true],
    ["an operator's redelivery as a new event", 'operator', { redeliveryOf: 'e0' }, false],
    ['the second try of such a one', 'true', { redeliveryOf: 'e0' }, true],
  ] as const)('takes %s as a repeat or not', (_name, mark, data, expected) => {
    expect(receive(mark, data)).toBe(expected);
  });
});
