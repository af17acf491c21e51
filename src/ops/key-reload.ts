import { Inject, Injectable } from '@nestjs/common';
import { OpsAudit } from '../audit/ops-audit.js';
import { KeySource } from '../auth/keys/key-source.js';
import { BffError } from '../errors/bff-error.js';
import { processItself, type Operator } from '../http/operator.js';
import { LOG, type Log } from '../telemetry/log.js';

/**
 * Fetches the JWK set of end users when an operator asks, by SIGHUP or ops route, on this replica only: keys that it no
 * longer contains verify nothing any more. Each reload leaves an audit record.
 */
@Injectable()
export class KeyReload {
  constructor(
    private readonly keys: KeySource,
    private readonly audit: OpsAudit,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @throws BffError `invalid_request` without a JWK set; `upstream_error` when it cannot be fetched and is kept */
  async run(by: Operator): Promise<void> {
    const { keys } = this;
    if (!keys.reload) {
      throw new BffError('invalid_request', {
        detail: 'End-user keys are not fetched from a URL here. Rotate the key in its file.',
      });
    }
    await this.audit.perform({ action: 'keys.reload', subject: 'end-user-keys' }, by, async () => {
      if (await keys.reload!()) return;
      throw new BffError('upstream_error', {
        detail: 'The JWK set cannot be fetched, and the last one stays in use.',
      });
    });
  }

  /** For a signal: never rejects; when the set cannot be fetched, the last one stays in use. */
  async runOnSignal(): Promise<void> {
    if (!this.keys.reload) return;
    await this.run(processItself()).catch((error: unknown) =>
      this.log.error({ err: error }, 'the JWK set cannot be reloaded; the last one stays in use'),
    );
  }
}
