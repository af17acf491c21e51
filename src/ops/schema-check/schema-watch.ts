import type { Counter } from 'prom-client';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../concurrency/every.js';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { RequestContext } from '../../http/request-context.js';
import { fetchSchema, readSchema } from '../../operations/check-documents.js';
import { RegisteredOperations } from '../../operations/registered-operations.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { Metrics } from '../../telemetry/metrics.js';
import { PartnerTokens } from '../../token/partner-tokens.js';
import { Upstream } from '../../upstream/upstream.js';
import { findDrift, type SchemaDrift } from './schema-drift.js';

const DAY_MS = 86_400_000;
/** How often it looks whether a check is due, and so how soon one that failed is repeated. */
const LOOK_MS = 900_000;
const SENTENCES_MAX = 20;

/** The result of a check; `failed` when there was no schema to check against. */
type CheckOutcome = 'clean' | 'drifted' | 'failed';

/**
 * Checks registered operations and built-in queries against the upstream's schema, at start and every day
 * (`OPERATIONS_CHECK`), so that a change of the schema is known before a caller runs into it. It only reports: nothing
 * that the service does depends on it. A check that fails is repeated after a quarter of an hour.
 */
@Injectable()
export class SchemaWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly checks: Counter<'outcome'>;
  private isStopping = false;
  private drift: SchemaDrift | undefined;
  private dueAt = 0;
  private loop: Loop | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'OPERATIONS_CHECK'>,
    private readonly operations: RegisteredOperations,
    private readonly upstream: Upstream,
    @Inject(PartnerTokens) private readonly tokens: Pick<PartnerTokens, 'get'>,
    @Inject(LOG) private readonly log: Log,
    metrics: Metrics,
    conditions: Conditions,
    @Default() private readonly now: () => number = () => performance.now(),
  ) {
    this.checks = metrics.counter(
      'bff_schema_checks_total',
      "Checks of the operations against the upstream's schema: clean, drifted, or failed (no schema).",
      ['outcome'],
    );
    for (const outcome of ['clean', 'drifted', 'failed']) this.checks.inc({ outcome }, 0);
    conditions.figure('schema-drift', () => {
      const faults = this.drift?.faults.length ?? 0;
      return faults === 0 ? undefined : `faults: ${faults}`;
    });
    const help = 'What the last check of the operations found: faults, and uses of deprecated members.';
    metrics.gauge('bff_schema_drift_entries', help, ['kind'], (gauge) => {
      if (this.drift === undefined) return;
      gauge.set({ kind: 'fault' }, this.drift.faults.length);
      gauge.set({ kind: 'deprecated' }, this.drift.deprecated.length);
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.OPERATIONS_CHECK === 'off') return;
    const work = async (): Promise<void> => {
      if (this.now() >= this.dueAt) await this.check();
    };
    this.loop = every(LOOK_MS, work, (error) =>
      this.log.error({ err: error }, 'the check of the schema failed'),
    );
    this.loop.wake();
  }

  /** Does not wait for a check under way, which ends with the connections to the upstream. */
  onApplicationShutdown(): void {
    this.isStopping = true;
    void this.loop?.stop();
  }

  /** Checks once. Never rejects for what the upstream does. */
  async check(): Promise<CheckOutcome> {
    const outcome = await this.compare();
    this.checks.inc({ outcome });
    if (outcome !== 'failed') this.dueAt = this.now() + DAY_MS;
    return outcome;
  }

  private async compare(): Promise<CheckOutcome> {
    try {
      this.drift = findDrift(readSchema(await this.fetchSchema()), this.operations.all());
    } catch (error) {
      if (!this.isStopping) this.log.warn({ err: error }, "the upstream's schema cannot be read");
      return 'failed';
    }
    const { faults, deprecated } = this.drift;
    if (faults.length > 0) this.report(faults, "the upstream's schema has drifted: it refuses operations");
    if (deprecated.length > 0) {
      this.report(deprecated, "operations use what the upstream's schema deprecates");
    }
    return faults.length > 0 ? 'drifted' : 'clean';
  }

  private async fetchSchema(): Promise<string> {
    const context = RequestContext.background();
    const token = await this.tokens.get(context);
    return fetchSchema(this.upstream, token, context);
  }

  private report(sentences: readonly string[], message: string): void {
    this.log.warn({ count: sentences.length, findings: sentences.slice(0, SENTENCES_MAX) }, message);
  }
}
