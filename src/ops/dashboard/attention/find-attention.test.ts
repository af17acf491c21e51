import {
  DAY_MS,
  degraded,
  DOWN,
  find,
  NOW,
  QUIET,
  requests,
} from '../../../../test/support/attention-facts.js';
import { findAttention } from './find-attention.js';

describe('what needs attention', () => {
  test('is nothing while every dependency is up and requests are served', () => {
    const served = requests({ token: { issued: 900 }, graphql: { ok: 900, cancelled: 20 } });
    expect(find({ database: { state: 'up' } }, served)).toEqual([]);
  });

  test('a failure that a dependency explains is named with it, and has no line of its own', () => {
    const failing = requests({
      graphql: { upstream_timeout: 40 },
      token: { issued: 3, 'unavailable@upstream': 1 },
    });
    const found = find({ upstream: degraded('graphql: 10 of the last 10 calls failed: timeout') }, failing);
    expect(found.map(({ what }) => what)).toEqual([
      'The upstream fails: graphql: 10 of the last 10 calls failed: timeout. In the last minute 1 of 4 token requests and 40 of 40 GraphQL operations failed.',
    ]);
  });

  test('a failing membership service explains requests that failed for want of a membership', () => {
    const failing = requests({ token: { 'unavailable@membership-service': 4 } });
    const check = { 'membership-service': degraded('4 of the last 4 calls failed: timeout') };
    expect(find(check)).toMatchObject([{ severity: 'warn', runbook: 'BffDegraded' }]);
    expect(find(check, failing)).toMatchObject([
      {
        severity: 'bad',
        what: 'The membership service fails: 4 of the last 4 calls failed: timeout. Only users whose memberships were read in the last 30 seconds are served. In the last minute 4 of 4 token requests failed.',
        fault: 'Your membership service, or the network to it',
      },
    ]);
  });

  test('a failure that nothing explains has a line of its own', () => {
    const [found] = find({}, requests({ graphql: { ok: 60, upstream_error: 40 } }));
    expect(found).toMatchObject({
      severity: 'bad',
      what: '40 of 100 GraphQL operations failed in the last minute, through no fault of the caller.',
      fault: 'Upstream',
      runbook: 'BffGraphqlFailing',
    });
  });

  test.each([
    ['callers', requests({ graphql: { hirer_forbidden: 30, invalid_request: 30 } }), []],
    [
      'callers without a token',
      requests({ token: { unauthenticated: 40 } }),
      ['Callers, or your identity provider'],
    ],
    ['the service', requests({ token: { internal_error: 1 } }), ['This service']],
    [
      'either side',
      requests({ graphql: { errors: 31, ok: 69 } }),
      ['Upstream, or the operations of a frontend'],
    ],
    [
      'the operations',
      requests({ graphql: { 'errors@caller': 31, ok: 69 } }),
      ['The operations of a frontend'],
    ],
    ['the upstream, by its errors', requests({ graphql: { 'errors@upstream': 31, ok: 69 } }), ['Upstream']],
    [
      "the upstream's limit",
      requests({ token: { 'rate_limited@upstream': 12, issued: 20 } }),
      ["The upstream's rate limit"],
    ],
    ['callers above our own limit', requests({ token: { rate_limited: 30, issued: 70 } }), ['Callers']],
    [
      'a database that answers other questions',
      requests({ token: { 'unavailable@database': 9, issued: 20 } }),
      ['Your database: it answers, but too late or with errors'],
    ],
    [
      'the load',
      requests({ graphql: { 'unavailable@load': 9, ok: 20 } }),
      ['Too many requests for this replica'],
    ],
    ['the database', { auditDropped: 3 }, ['Your database']],
    [
      'the signing secret',
      { webhooks: { invalid_signature: 630 } },
      ['Your WEBHOOK_SECRETS: most likely the secret was rotated at the upstream but not here'],
    ],
    [
      'one secret of several, or of a forger',
      { webhooks: { invalid_signature: 9, accepted: 20 } },
      ['Your WEBHOOK_SECRETS, or someone who forges webhooks'],
    ],
    [
      'the store of webhooks',
      { webhooks: { unavailable: 1 } },
      ['Your database, or more webhooks at once than this replica takes'],
    ],
    [
      'the sender',
      { webhooks: { invalid_request: 6, unsupported_media_type: 3 } },
      ['Upstream, a proxy that changes bodies, or strangers'],
    ],
    ['nobody', { webhooks: { accepted: 20, cancelled: 9 } }, []],
    ['the sink', { backlog: { dead: 1 } }, ['Your event sink']],
  ])('a fault of %s is said to be that', (_, sample, faults) => {
    expect(find({}, sample).map(({ fault }) => fault)).toEqual(faults);
  });

  test('what failed while a dependency failed is not unexplained after it has recovered', () => {
    const outage = { ...QUIET, ...requests({ token: { 'unavailable@issuer': 20 } }), failing: ['issuer'] };
    const end = { ...QUIET, ...requests({ token: { 'unavailable@issuer': 5, issued: 1 } }) };
    const readiness = { status: 'ready', ready: true, checks: { issuer: { state: 'up' } } } as const;
    const facts = { readiness, startedAt: NOW - DAY_MS, now: NOW };
    expect(findAttention({ ...facts, samples: [outage, end, QUIET] })).toEqual([]);
    expect(findAttention({ ...facts, samples: [outage, end, QUIET, end] })).toMatchObject([
      { what: expect.stringMatching(/^5 of 32 token requests/), fault: 'Issuer, or the network to it' },
    ]);
  });

  test('an outage is blamed on who fails now, and only for what is its fault', () => {
    const failing = requests({
      graphql: { upstream_error: 20 },
      token: { 'unavailable@issuer': 10, issued: 10 },
    });
    expect(find({ upstream: degraded('graphql: 9 of the last 9 calls failed: 5xx') }, failing)).toMatchObject(
      [
        {
          severity: 'bad',
          what: expect.stringMatching(/5xx\. In the last minute 20 of 20 GraphQL operations failed\.$/),
        },
        { what: expect.stringMatching(/^10 of 20 token requests/), fault: 'Issuer, or the network to it' },
      ],
    );
    const both = find({ issuer: degraded('status 503'), upstream: degraded('x') }, failing);
    expect(both.map(({ what }) => what)).toEqual([
      expect.stringMatching(
        /^The upstream fails: x\. In the last minute 20 of 20 GraphQL operations failed\.$/,
      ),
      expect.stringMatching(
        /lasts another 20 minutes\. In the last minute 10 of 20 token requests failed\.$/,
      ),
    ]);
  });

  test('a slow upstream is named, with enough calls, and not beside one that fails', () => {
    const slow = { latency: { ...QUIET.latency, upstream: { '0.1': 20, '5': 12 } } };
    expect(find({}, slow)).toMatchObject([
      {
        severity: 'warn',
        what: 'The upstream is slow: 12 of 32 GraphQL calls took longer than 2 seconds in the last minute.',
        fault: 'Upstream, or the network to it',
        runbook: 'BffUpstreamSlow',
      },
    ]);
    expect(find({}, { latency: { ...QUIET.latency, upstream: { '2': 90 } } })).toEqual([]);
    expect(find({}, { latency: { ...QUIET.latency, upstream: { '5': 4 } } })).toEqual([]);
    expect(find({}, { latency: { ...QUIET.latency, upstream: { '0.1': 100, '5': 5 } } })).toEqual([]);
    expect(find({ upstream: degraded('x') }, slow)).toHaveLength(1);
  });

  test('what this service itself takes long for is named', () => {
    expect(find({}, { ownTime: { '0.01': 50, '1': 10 } })).toMatchObject([
      { what: expect.stringContaining('10 of 60 requests'), runbook: 'BffSlow' },
    ]);
  });

  test('the worst comes first, however loud the rest', () => {
    const found = find({ cache: degraded('x'), database: DOWN }, {}, NOW - 1_000);
    expect(found.map(({ severity }) => severity)).toEqual(['bad', 'warn', 'info']);
  });

  test('events that failed are sent as soon as the sink accepts one, which an operator can try', () => {
    const [failed] = find({ 'event-sink': degraded('sink: connection') }, { backlog: { failed: 6 } });
    expect(failed?.action).toMatch(/^Nothing is lost\..*redeliver one.*the others follow/);
    expect(failed?.action).not.toMatch(/\d|two days/); // EVENT_SINK_RETRY_SECONDS says how long
    expect(failed?.action).toContain('EVENT_SINK_RETRY_SECONDS');
  });

  test('a backlog is told with its end in minutes, or that it does not shrink', () => {
    const [shrinking] = find({}, { backlog: { failed: 9 }, backlogEndSeconds: 700 });
    expect(shrinking?.what).toMatch(/9 events wait for delivery.*it ends in 12 minutes\.$/);
    const [stuck] = find({}, { backlog: { failed: 9 }, backlogEndSeconds: null });
    expect(stuck?.what).toMatch(/The backlog does not shrink\.$/);
  });

  test('what the database said last of events is no news while it is down', () => {
    const found = find({ database: DOWN }, { backlog: { dead: 9, failed: 9 }, oldestPendingSeconds: 9_000 });
    expect(found.map(({ fault }) => fault)).toEqual(['Your database']);
  });

  test('is unknown until the undelivered events have been counted', () => {
    const started = { status: 'ready', ready: true, checks: { database: { state: 'up' } } } as const;
    const unsampled = findAttention({ readiness: started, samples: [], startedAt: NOW - DAY_MS, now: NOW });
    for (const found of [unsampled, find({ database: { state: 'up' } }, { backlog: {} })]) {
      expect(found).toMatchObject([
        { severity: 'unknown', what: expect.stringContaining('not been counted') },
      ]);
    }
  });

  test('the figures of another replica are called by its name, whatever that is', () => {
    const facts = { readiness: { status: 'ready', ready: true, checks: {} }, samples: [], now: NOW } as const;
    const lifeOf = (subject?: string) =>
      findAttention({ ...facts, startedAt: NOW - 1_000, subject }).at(-1)?.what;
    expect(lifeOf()).toMatch(/^This replica started 1 second ago/);
    expect(lifeOf('replica $& two')).toMatch(/^Replica \$& two started 1 second ago/);
  });
});
