import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { JwksKeySource } from '../auth/jwks-key-source.js';
import { KeySource } from '../auth/key-source.js';
import { Default } from '../config/default.js';
import { BffError } from '../errors/bff-error.js';
import type { OpsAction } from '../http/ops-action.js';
import { LOG, type Log } from '../telemetry/log.js';

const SUBJECT = 'END_USER_JWKS_URL';

/** The result of a reload. */
export interface KeyReloadReport {
  /** Whether the set was fetched: keys that it no longer contains verify nothing any more. */
  readonly fetched: boolean;
  /** Whether the last set was dropped because it could not be fetched. */
  readonly dropped: boolean;
  /** Keys in use now. */
  readonly keys: number;
}

/**
 * Fetches the JWK set of end users when an operator asks, by SIGHUP or ops route, on this replica only. Each reload
 * leaves an audit record.
 */
@Injectable()
export class KeyReload {
  constructor(
    private readonly keys: KeySource,
    private readonly audit: AuditTrail,
    @Inject(LOG) private readonly log: Log,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  /**
   * @param drop whether to drop the last set if it cannot be fetched; every end-user token is refused with
   *   `unavailable` until it can
   * @throws BffError `invalid_request` without a JWK set; `upstream_error` when it cannot be fetched and is kept
   */
  async run(by: OpsAction, drop: boolean): Promise<KeyReloadReport> {
    const { keys } = this;
    if (!(keys instanceof JwksKeySource)) {
      throw new BffError('invalid_request', { detail: `${SUBJECT} is not set: rotate the key in its file.` });
    }
    const fetched = await keys.reload();
    this.record('keys.reload', fetched ? 'ok' : 'upstream_error', by);
    if (!fetched && !drop) {
      throw new BffError('upstream_error', {
        detail: 'The JWK set cannot be fetched, and the last one stays in use. drop=true stops using it.',
      });
    }
    if (!fetched) {
      keys.drop();
      this.record('keys.drop', 'ok', by);
      this.log.warn('the JWK set of end-user tokens is dropped');
    }
    return { fetched, dropped: !fetched, keys: keys.size };
  }

  /** For a signal: never rejects; when the set cannot be fetched, the last one stays in use. */
  async runOnSignal(): Promise<void> {
    if (!(this.keys instanceof JwksKeySource)) return;
    const by = { requestId: randomUUID(), address: 'process' };
    await this.run(by, false).catch((error: unknown) =>
      this.log.error({ err: error }, 'the JWK set cannot be reloaded; the last one stays in use'),
    );
  }

  private record(action: string, outcome: string, by: OpsAction): void {
    this.audit.record({ ...by, time: this.now(), action, outcome, subject: SUBJECT });
  }
}
