import { degraded, DOWN, find, NOW, QUIET, requests } from '../../../../test/support/attention-facts.js';
import { readRunbook } from '../runbook.js';
import type { Attention } from './attention.js';
import { findAttention } from './find-attention.js';

test('every line leads to a section of the runbook that says what to do', () => {
  const runbook = readRunbook();
  const names = [
    'upstream',
    'issuer',
    'cache',
    'event-sink',
    'reconciliation',
    'end-user-keys',
    'membership-service',
    'new',
  ];
  const all = [
    ...names.flatMap((name) => find({ [name]: degraded('x') })),
    ...names.flatMap((name) => find({ [name]: DOWN }, { partnerTokenSeconds: 0 })),
    ...find({ database: DOWN }),
    ...find({ issuer: degraded('the last call failed: it refuses the client credentials') }),
    ...find({}, { openCircuits: ['graphql'], auditDropped: 1, webhooks: { invalid_signature: 9 } }),
    ...find({}, { webhooks: { unavailable: 1, invalid_request: 9 } }),
    ...find({}, { ownTime: { '1': 9 }, latency: { ...QUIET.latency, upstream: { '5': 9 } } }),
    ...find({}, requests({ token: { 'rate_limited@upstream': 9 } })),
    ...find({}, { backlog: { dead: 1, failed: 1 } }),
    ...find({}, { backlog: { dead: 50, failed: 1 }, oldestPendingSeconds: 9_000 }),
    ...find({}, requests({ token: { unauthenticated: 99, hirer_forbidden: 60, rate_limited: 30 } })),
    ...find(
      {},
      requests({
        token: { internal_error: 3 },
        graphql: { errors: 30 },
        attachment: { upstream_error: 9 },
      }),
    ),
    ...find({}, {}, NOW),
    ...findAttention({
      readiness: { status: 'draining', ready: false, checks: {} },
      samples: [],
      startedAt: 0,
      now: NOW,
    }),
  ];
  const headings = new Set(all.map(({ runbook: heading }) => heading));
  expect([...headings].filter((heading) => !runbook.has(heading))).toEqual([]);
  expect(headings.size).toBeGreaterThan(20);
});

test('a line leads to the list it speaks of, with the filter that the list takes', () => {
  const linkOf = (found: readonly Attention[]) => found[0]!.list;
  expect(linkOf(find({}, { backlog: { dead: 1 } }))).toEqual({ name: 'events', filter: { state: 'dead' } });
  expect(linkOf(find({}, { webhooks: { invalid_signature: 9 } }))).toEqual({
    name: 'refusals',
    filter: {},
  });
  expect(linkOf(find({}, requests({ graphql: { upstream_timeout: 9, ok: 1 } })))).toEqual({
    name: 'audit',
    filter: { action: 'graphql', outcome: 'upstream_timeout' },
  });
  const down = find({ issuer: DOWN }, requests({ token: { 'unavailable@issuer': 9 } }));
  expect(linkOf(down)).toEqual({ name: 'audit', filter: { outcome: 'unavailable' } });
});
