import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { OpsAudit } from '../audit/ops-audit.js';
import { every, type Loop } from '../concurrency/every.js';
import { Secrets, type ReloadReport } from '../config/secrets.js';
import { processItself, type Operator } from '../http/operator.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { LOG, type Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';

const INTERVAL_MS = 5_000;

/**
 * Picks up new secrets: every five seconds from changed files, and at once on SIGHUP and by ops route. Reading the files
 * again works for every way secrets are mounted, including a swapped symbolic link. Each change leaves an audit record.
 */
@Injectable()
export class SecretRotation implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly reloads;
  private loop: Loop | undefined;
  private lastRefused = '';
  private refused: readonly string[] = [];

  constructor(
    private readonly secrets: Secrets,
    private readonly audit: OpsAudit,
    @Inject(LOG) private readonly log: Log,
    metrics: Metrics,
    conditions: Conditions,
  ) {
    this.reloads = metrics.counter(
      'bff_secret_reloads_total',
      'New values of secrets: changed, or refused (the previous one stays in effect).',
      ['outcome'],
    );
    conditions.figure('secret-refused', () => this.refused.join(', ') || undefined);
    for (const outcome of ['changed', 'refused']) this.reloads.inc({ outcome }, 0);
  }

  onApplicationBootstrap(): void {
    const onError = (err: unknown): void => this.log.error({ err }, 'secrets cannot be reloaded');
    this.loop = every(INTERVAL_MS, () => void this.run(processItself(), false), onError);
  }

  /** @param asked whether an operator asked; otherwise a refusal that repeats is reported only once */
  run(by: Operator, asked = true): ReloadReport {
    const report = this.secrets.reload();
    for (const subject of report.changed) this.audit.record({ action: 'secret.rotate', subject }, by);
    if (report.changed.length > 0) this.log.info({ settings: report.changed }, 'secrets are rotated');
    this.refused = report.refused.map(({ name }) => name);
    const refused = JSON.stringify(report.refused);
    if (asked || refused !== this.lastRefused) this.refuse(report, by);
    this.lastRefused = refused;
    this.reloads.inc({ outcome: 'changed' }, report.changed.length);
    return report;
  }

  onApplicationShutdown(): Promise<void> | undefined {
    return this.loop?.stop();
  }

  private refuse({ refused }: ReloadReport, by: Operator): void {
    for (const { name, fault } of refused) {
      this.log.error({ setting: name, fault }, 'a new secret is refused; the previous one stays in effect');
      this.audit.record({ action: 'secret.rotate', subject: name }, by, 'invalid_request');
      this.reloads.inc({ outcome: 'refused' });
    }
  }
}
