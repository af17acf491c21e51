import { pino } from 'pino';
import type { Database } from '../../src/storage/database.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { Health } from '../../src/telemetry/health.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { PartnerTokens } from '../../src/token/partner-tokens.js';
import { Upstream } from '../../src/upstream/upstream.js';
import {
  EventReconciliation,
  type ReconciliationConfig,
} from '../../src/webhooks/reconcile/event-reconciliation.js';
import { EventNotices } from '../../src/webhooks/store/event-notices.js';
import { WebhookMetrics } from '../../src/webhooks/webhook-metrics.js';
import type { Stack } from '../support/start-stack.js';
import type { TestDatabase } from '../support/test-database.js';
import { EventStore, ONE_SINK } from './event-store-setup.js';

export const POLL_SECONDS = 300;

/** A store of events for a suite, empty before each test, and its reconciliation with the upstream of a stack. */
export function useReconciliation(
  open: () => Promise<TestDatabase>,
  start: () => Promise<Stack>,
  schemeId: string,
): Reconciling {
  const reconciling = new Reconciling(schemeId);
  beforeAll(async () => {
    await reconciling.open(open);
    reconciling.stack = await start();
  });
  beforeEach(() => reconciling.reset());
  return reconciling;
}

class Reconciling extends EventStore {
  stack!: Stack;
  /** How far the clock is ahead of the machine's. */
  offsetMs = 0;
  override readonly now = (): number => Date.now() + this.offsetMs;
  /** Of the reconciliation that was begun last. */
  health!: Health;
  /** What was logged in this test. */
  log = '';

  constructor(private readonly schemeId: string) {
    super();
  }

  override async reset(): Promise<void> {
    await super.reset();
    this.offsetMs = 0;
    this.log = '';
  }

  /** A replica that reconciles. */
  begin(
    start: ReconciliationConfig['EVENTS_START'] = 'earliest',
    over: Database = this.database,
  ): EventReconciliation {
    const { app } = this.stack.service;
    this.health = new Health();
    return new EventReconciliation(
      { EVENTS_SCHEME_ID: this.schemeId, EVENTS_POLL_SECONDS: POLL_SECONDS, EVENTS_START: start },
      over,
      app.get(Upstream, { strict: false }),
      app.get(PartnerTokens, { strict: false }),
      ONE_SINK,
      new EventNotices(over),
      new WebhookMetrics(new Metrics(), ONE_SINK),
      pino({ level: 'debug' }, { write: (line: string) => void (this.log += line) }),
      new Conditions(),
      this.health,
      this.now,
    );
  }
}
