import type { EndListener } from '../http/request-end.js';
import { RequestRecorder } from './request-recorder.js';

test.each([
  ['ok', 'each'],
  ['issued', 'each'],
  ['errors', 'each'],
  ['hirer_forbidden', 'counted'],
])('%s, answered without the upstream, is %s among records of one user', (outcome, kept) => {
  const found: string[] = [];
  let end: EndListener | undefined;
  const trail = {
    record: () => found.push('each'),
    recordRefusal: () => found.push('counted'),
  };
  const listener = { onEnd: (given: EndListener) => (end = given) };
  new RequestRecorder({ listener } as never, trail as never);
  const context = {
    user: { userId: 'ada' },
    outcomes: [outcome],
    notes: {},
    passed: {},
    upstreamRequestIds: [],
  };
  end!({ context, config: { audit: 'graphql' }, at: 0, elapsedMs: 1 } as never);
  expect(found).toEqual([kept]);
});
