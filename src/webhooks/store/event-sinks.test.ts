import { EventSinks } from './event-sinks.js';

test.each([
  ['everything', [], [], 'A', 'h1', true],
  ['its types', ['A', 'B'], [], 'B', null, true],
  ['no other type', ['A'], [], 'B', 'h1', false],
  ['its hirers', [], ['h1'], 'A', 'h1', true],
  ['no other hirer', [], ['h1'], 'A', 'h2', false],
  ['no event without a hirer where it names hirers', [], ['h1'], 'A', null, false],
  ['no event that only one of both names', ['A'], ['h1'], 'B', 'h1', false],
])('a sink gets %s', (_, types, hirers, type, hirerId, isWanted) => {
  const sinks = new EventSinks([{ name: 'crm', types, hirers }]);
  expect(sinks.wanting({ type, hirerId })).toEqual(isWanted ? ['crm'] : []);
});
