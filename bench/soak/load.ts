import { signIn } from '../bff.js';
import { SCENARIOS } from '../compare/scenarios.js';
import { HIRER_ID } from '../hirer-id.js';
import type { LoadRequest } from '../load.js';
import { PacedLoad } from './paced-load.js';

const USERS = 2_000;
/** Each user belongs to the hirer of the benchmarks and to one of these. */
const OTHER_HIRERS = 100;
/** A tenth of what one core does of each alone (docs/operate.md), all at once. */
const PER_SECOND = {
  'cached token': 600,
  operation: 300,
  'registered operation': 100,
  'webhook of ten': 10,
};

/** The claim that names a user's hirers. */
export const HIRERS_CLAIM = 'hirers';

const users = await Promise.all(
  Array.from({ length: USERS }, async (_, number) => {
    const hirers = [HIRER_ID, `seekAnzPublicTest:organization:seek:soak${number % OTHER_HIRERS}`];
    return { hirers, token: await signIn(`user-${number}`, { [HIRERS_CLAIM]: hirers }) };
  }),
);

let turn = 0;

/** The request as another user sends it: each in turn, for tokens also for the other hirer. */
function asNextUser({ headers, nextBody, ...rest }: LoadRequest): LoadRequest {
  turn += 1;
  const { hirers, token } = users[turn % USERS]!;
  const own = headers['authorization'] && { authorization: `Bearer ${token}` };
  const hirer = hirers[Math.floor(turn / USERS) % 2]!;
  const text = nextBody?.() ?? JSON.stringify({ hirerId: hirer, scope: 'query:organizations' });
  return { ...rest, headers: { ...headers, ...own }, body: text };
}

/** Starts every kind of request at its rate. */
export function startLoads(port: number): Map<string, PacedLoad> {
  const rates = Object.entries(PER_SECOND).map(([name, rate]): [string, PacedLoad] => {
    const { request } = SCENARIOS.find((scenario) => scenario.name === name)!;
    const template = request(port);
    return [name, new PacedLoad(template.origin, () => asNextUser(template), rate)];
  });
  return new Map(rates);
}
