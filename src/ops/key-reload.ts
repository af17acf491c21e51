import { Inject, Injectable } from '@nestjs/common';
import { OpsAudit } from '../audit/ops-audit.js';
import { KeySource, isReloadable, type ReloadableKeys } from '../auth/keys/key-source.js';
import { BffError } from '../errors/bff-error.js';
import { toBffError } from '../errors/to-bff-error.js';
import { processItself, type Operator } from '../http/operator.js';
import { LOG, type Log } from '../telemetry/log.js';
import { question } from '../workers/questions.js';
import { Workers } from '../workers/workers.js';

const KEYS = question<{ by: Operator; drop: boolean }, KeyReloadReport | KeyReloadRefusal>('keys', 30_000);

/** Why a worker refuses a reload. */
type KeyReloadRefusal = Pick<BffError, 'code' | 'detail'>;

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
 * Fetches the JWK set of end users when an operator asks, by SIGHUP or ops route, on this replica only: in each of its
 * workers. Each reload leaves an audit record.
 */
@Injectable()
export class KeyReload {
  constructor(
    private readonly keys: KeySource,
    private readonly audit: OpsAudit,
    @Inject(LOG) private readonly log: Log,
    private readonly workers: Workers,
  ) {
    workers.answer(KEYS, ({ by, drop }) => this.run(by, drop).catch(refusalOf));
  }

  /** {@link run} in every worker. A worker that is not there fetches the set when it starts. */
  async runInAll(by: Operator, drop: boolean): Promise<KeyReloadReport> {
    const { answers, silent } = await this.workers.ask(KEYS, { by, drop });
    for (const answer of answers) {
      if ('code' in answer) throw new BffError(answer.code, { detail: answer.detail });
    }
    const reports = answers as readonly KeyReloadReport[];
    if (silent.length > 0) throw new BffError('unavailable', { detail: SILENT });
    return {
      fetched: reports.every(({ fetched }) => fetched),
      dropped: reports.some(({ dropped }) => dropped),
      keys: reports[0]!.keys,
    };
  }

  /**
   * @param drop whether to drop the last set if it cannot be fetched; every end-user token is refused with
   *   `unavailable` until it can
   * @throws BffError `invalid_request` without a JWK set; `upstream_error` when it cannot be fetched and is kept
   */
  async run(by: Operator, drop: boolean): Promise<KeyReloadReport> {
    const { keys } = this;
    if (!isReloadable(keys)) {
      throw new BffError('invalid_request', {
        detail: 'The keys of end users are not fetched: rotate the key in its file.',
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

const SILENT = 'A worker does not answer, and may use the last JWK set. Restart the service to be sure.';

/** An error loses its class on the way to another process. */
function refusalOf(error: unknown): KeyReloadRefusal {
  const { code, detail } = toBffError(error);
  return { code, detail };
}

/** @throws BffError `upstream_error` */
async function fetchSet(keys: ReloadableKeys): Promise<void> {
  if (await keys.reload()) return;
  throw new BffError('upstream_error', {
    detail: 'The JWK set cannot be fetched, and the last one stays in use. drop=true stops using it.',
  });
}
