import { Inject, Injectable } from '@nestjs/common';
import { OpsAudit } from '../audit/ops-audit.js';
import { KeySource, isReloadable, type ReloadableKeys } from '../auth/keys/key-source.js';
import { BffError } from '../errors/bff-error.js';
import { processItself, type Operator } from '../http/operator.js';
import { LOG, type Log } from '../telemetry/log.js';

/** The result of a reload. */
export interface KeyReloadReport {
  /** True if the set was fetched: keys that it no longer contains verify nothing any more. */
  readonly fetched: boolean;
  /** True if the last set was dropped because it could not be fetched. */
  readonly dropped: boolean;
  /** Keys in use now. */
  readonly keys: number;
}

/**
 * Fetches the JWK set of end users when an operator asks, by SIGHUP or ops route, on this replica only.
 * Each reload leaves an audit record.
 */
@Injectable()
export class KeyReload {
  constructor(
    private readonly keys: KeySource,
    private readonly audit: OpsAudit,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * @param drop whether to drop the last set if it cannot be fetched; every end-user token is refused with
   *   `unavailable` until it can
   * @throws BffError `invalid_request` without a JWK set; `upstream_error` when it cannot be fetched and is kept
   */
  async run(by: Operator, drop: boolean): Promise<KeyReloadReport> {
    const { keys } = this;
    if (!isReloadable(keys)) {
      throw new BffError('invalid_request', {
        detail: 'End-user keys are not fetched from a URL here. Rotate the key in its file.',
      });
    }
    const subject = keys.setting;
    try {
      await this.audit.perform({ action: 'keys.reload', subject }, by, () => fetchSet(keys));
      return { fetched: true, dropped: false, keys: keys.size };
    } catch (error) {
      if (!drop) throw error;
      await this.audit.perform({ action: 'keys.drop', subject }, by, () => keys.drop());
      this.log.warn('the JWK set of end-user tokens is dropped');
      return { fetched: false, dropped: true, keys: keys.size };
    }
  }

  /** For a signal: never rejects; when the set cannot be fetched, the last one stays in use. */
  async runOnSignal(): Promise<void> {
    if (!isReloadable(this.keys)) return;
    await this.run(processItself(), false).catch((error: unknown) =>
      this.log.error({ err: error }, 'the JWK set cannot be reloaded; the last one stays in use'),
    );
  }
}

/** @throws BffError `upstream_error` */
async function fetchSet(keys: ReloadableKeys): Promise<void> {
  if (await keys.reload()) return;
  throw new BffError('upstream_error', {
    detail: 'The JWK set cannot be fetched, and the last one stays in use. drop=true stops using it.',
  });
}
