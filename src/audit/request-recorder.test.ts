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
  const publicListener = { onEnd: (given: EndListener) => (end = given) };
  new RequestRecorder({ httpAdapter: { publicListener } } as never, trail as never);
  const context = {
    user: { userId: 'ada' },
    outcomes: [outcome],
    notes: {},
    upstreamRequestIds: [],
    config: { audit: 'graphql' },
  };
  end!(context as never);
  expect(found).toEqual([kept]);
});
