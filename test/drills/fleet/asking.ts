import { Caller, type Sent } from '../caller.js';
import type { Ledger, Outcome } from './report.js';

/** An answer later than this does not come. */
const PATIENCE_MS = 30_000;
const UNAVAILABLE = [502, 503, 504];
const TEXT_CHARACTERS = 160;

/** A request to one of the replicas. */
export interface Question extends Sent {
  /** A name for the table. */
  readonly kind: string;
  readonly url: string;
  /** The status of a right answer, and what is wrong with its text, if anything is. */
  readonly status: number;
  readonly faultOf?: (text: string) => string | undefined;
}

/** Asks replicas, and notes what becomes of it. */
export class Asking {
  private readonly caller = new Caller(PATIENCE_MS);

  constructor(private readonly ledger: Ledger) {}

  /** @returns true if the answer was right */
  async ask(question: Question): Promise<boolean> {
    const startedAt = performance.now();
    const outcome = await this.outcomeOf(question);
    this.ledger.note(question.kind, startedAt, outcome);
    return outcome === 'right';
  }

  close(): Promise<void> {
    return this.caller.close();
  }

  private async outcomeOf({ url, status, faultOf, ...sent }: Question): Promise<Outcome> {
    try {
      const reply = await this.caller.send(url, sent);
      if (reply.status === status) {
        const wrong = faultOf?.(reply.text);
        return wrong === undefined ? 'right' : { wrong };
      }
      const said = `${reply.status} ${codeOf(reply.text)}`;
      return UNAVAILABLE.includes(reply.status) ? { refused: said } : { wrong: said };
    } catch (error) {
      return /Timeout/.test((error as Error).name) ? { wrong: 'no answer' } : 'unconnected';
    }
  }
}

/** The code of a problem, or the text itself. */
function codeOf(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, TEXT_CHARACTERS);
}
