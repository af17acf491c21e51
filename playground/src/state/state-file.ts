import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Background } from '../background.js';
import type { Demo } from '../demo.js';
import type { PartnerClient } from '../issuer/token-request.js';
import type { Switches } from '../switches.js';
import type { WebhookState } from '../webhooks/webhooks.js';
import type { WorldState } from './world-state.js';

/** The state of a partner that is kept. */
export interface PartnerState extends WebhookState {
  readonly client: PartnerClient;
  readonly webhookSecret: string;
  /** Left out for data that has not been generated yet. */
  readonly world?: WorldState;
}

/** The state of a playground that is kept. */
export interface PlaygroundState {
  /** Changes with the shape of the records, so that another version does not misread them. */
  readonly format: 1;
  readonly skewMs: number;
  readonly switches: Switches;
  /** Absent from what earlier versions kept. */
  readonly demo?: Demo;
  readonly partners: readonly PartnerState[];
}

const FORMAT = 1;
const SAVE_AFTER_MS = 1_000;

/** Keeps the state in a directory. It is written a second after a change, and when the playground closes. */
export class StateFile {
  private readonly path: string;
  private timer: NodeJS.Timeout | undefined;
  private dump: (() => PlaygroundState) | undefined;

  /** @throws Error when the directory cannot be made */
  constructor(
    directory: string,
    private readonly background: Background,
  ) {
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new Error(`The playground cannot keep its data in ${directory}.`, { cause: error });
    }
    this.path = join(directory, 'playground-state.json');
  }

  /**
   * The state that was kept; undefined at the first start.
   * @throws Error for a file that cannot be read as such; it is left as it is
   */
  load(): PlaygroundState | undefined {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const state = parse(text);
    if (state?.format === FORMAT) return state;
    throw new Error(
      `${this.path} is not the state of this version of the playground. Move it away to start with new data.`,
    );
  }

  /** Says what to write from now on. */
  keep(dump: () => PlaygroundState): void {
    this.dump = dump;
    this.touch();
  }

  /** Notes that something has changed. */
  readonly touch = (): void => {
    this.timer ??= this.background.later('keeping the state in a file', SAVE_AFTER_MS, () => this.save());
  };

  /** Writes now. A crash leaves either the earlier state or this one, whole. */
  save(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.dump === undefined) return;
    const draft = `${this.path}.new`;
    writeFileSync(draft, JSON.stringify(this.dump()), { mode: 0o600 });
    renameSync(draft, this.path);
  }
}

function parse(text: string): PlaygroundState | undefined {
  try {
    return JSON.parse(text) as PlaygroundState;
  } catch {
    return undefined;
  }
}
