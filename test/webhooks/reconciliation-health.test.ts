import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { Health } from '../../src/telemetry/health.js';
import type { EventReconciliation } from '../../src/webhooks/reconcile/event-reconciliation.js';
import { ReconciliationHealth } from '../../src/webhooks/reconciliation-health.js';
import type { EventCounts } from '../../src/webhooks/store/records/event-counts.js';

test('events that were not reconciled for a quarter of an hour are late, never reconciled ones too', async () => {
  let ageSeconds: number | undefined;
  let now = 0;
  const conditions = new Conditions();
  const health = new Health();
  new ReconciliationHealth(
    { isOn: true, check: () => ({ state: 'up' }) } as EventReconciliation,
    { reconciledAgeSeconds: async () => ageSeconds } as unknown as EventCounts,
    { EVENTS_SCHEME_ID: 'scheme', EVENTS_POLL_SECONDS: 60 },
    conditions,
    health,
    () => now,
  );
  const state = async (): Promise<unknown> => {
    await conditions.look();
    return (await health.readiness()).checks['reconciliation'];
  };
  now = 900_000;
  expect(await state()).toEqual({ state: 'up' });
  now += 1_000;
  expect(await state()).toEqual({ state: 'degraded', reason: 'not completed for 15 minutes' });
  ageSeconds = 900;
  expect(await state()).toEqual({ state: 'up' });
  ageSeconds = 901;
  expect(conditions.active()).toEqual([]);
  expect(await state()).toMatchObject({ state: 'degraded' });
  expect(conditions.active()).toMatchObject([{ name: 'reconciliation-late', culprit: 'upstream' }]);
  conditions.figure('partner-token-missing', () => 'the issuer gives none');
  await conditions.look();
  expect(conditions.active().map(({ culprit }) => culprit)).toEqual(['issuer', 'issuer']);
});
