import type { Playground } from '../playground.js';

/** The parts of the playground that a fault acts on. */
export type FaultParts = Pick<Playground, 'faults' | 'tokens'>;

/** Longer than a service waits, however often it asks. */
const ISSUER_CALLS = 5;
const UPSTREAM_WAIT_SECONDS = 7;

/** The faults that the demo page can plan. Each ends without being cleared. */
export const DEMO_FAULTS: Readonly<Record<string, (parts: FaultParts) => void>> = {
  'expired-token': ({ tokens }) => void tokens.expire({ kind: 'partner' }),
  'issuer-down': ({ tokens, faults }) => {
    tokens.expire({ kind: 'partner' });
    faults.add({ route: 'oauth-token', status: 503, times: ISSUER_CALLS });
  },
  'rate-limit': ({ faults }) =>
    faults.add({ route: 'graphql', status: 429, headers: { 'Retry-After': String(UPSTREAM_WAIT_SECONDS) } }),
  'upstream-hangs': ({ faults }) => faults.add({ route: 'graphql', hang: true }),
  'broken-connection': ({ faults }) => faults.add({ route: 'graphql', reset: true }),
  nonsense: ({ faults }) =>
    faults.add({ route: 'graphql', body: '<html>Bad gateway</html>', contentType: 'text/html' }),
};
