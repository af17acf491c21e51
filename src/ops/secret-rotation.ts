import { randomUUID } from 'node:crypto';
import type { ReloadReport, Secrets } from '../config/secrets.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { Log } from '../telemetry/log.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { OpsAction } from '../http/ops-action.js';

const INTERVAL_MS = 5_000;

/**
 * Takes up new secrets: every five seconds from changed files, at once on SIGHUP and by ops route. Reading them anew is
 * what works for every way secrets are mounted, a swapped symbolic link included. Each change leaves an audit record.
 */
export class SecretRotation {
  private readonly reloads;
  private readonly timer: NodeJS.Timeout;
  private lastRefused = '';

  constructor(
    private readonly secrets: Secrets,
    private readonly audit: AuditTrail,
    private readonly log: Log,
    metrics: Metrics,
    private readonly now: () => number = Date.now,
  ) {
    this.reloads = metrics.counter(
      'bff_secret_reloads_total',
      'New values of secrets, by outcome: changed, or refused (the old value stays in force).',
      ['outcome'],
    );
    for (const outcome of ['changed', 'refused']) this.reloads.inc({ outcome }, 0);
    this.timer = setInterval(
      () => this.run({ requestId: randomUUID(), address: 'process' }, false),
      INTERVAL_MS,
    );
    this.timer.unref();
  }

  /** @param asked whether someone asked; the timer reports the same refusal once only */
  run(by: OpsAction, asked = true): ReloadReport {
    const report = this.secrets.reload();
    for (const subject of report.changed) this.record('ok', subject, by);
    if (report.changed.length > 0) this.log.info({ settings: report.changed }, 'secrets are rotated');
    const refused = JSON.stringify(report.refused);
    if (asked || refused !== this.lastRefused) this.refuse(report, by);
    this.lastRefused = refused;
    this.reloads.inc({ outcome: 'changed' }, report.changed.length);
    return report;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private refuse({ refused }: ReloadReport, by: OpsAction): void {
    for (const { name, fault } of refused) {
      this.log.error({ setting: name, fault }, 'a new secret is refused; the old one stays in force');
      this.record('invalid_request', name, by);
      this.reloads.inc({ outcome: 'refused' });
    }
  }

  private record(outcome: string, subject: string, by: OpsAction): void {
    this.audit.record({ ...by, time: this.now(), action: 'secret.rotate', outcome, subject });
  }
}
