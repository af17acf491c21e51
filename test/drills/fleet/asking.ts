import { Agent, request } from 'undici';
import type { Ledger, Outcome } from './report.js';

/** An answer later than this does not come. */
const PATIENCE_MS = 30_000;
const UNAVAILABLE = [502, 503, 504];
const TEXT_CHARACTERS = 160;

/** A request to one of the replicas. */
export interface Question {
  /** A name for the table. */
  readonly kind: string;
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The status of a right answer, and what is wrong with its text, if anything is. */
  readonly status: number;
  readonly faultOf?: (text: string) => string | undefined;
}

/** Asks replicas, and notes what becomes of it. */
export class Asking {
  private readonly agent = new Agent({ headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });

  constructor(private readonly ledger: Ledger) {}

  /** @returns true if the answer was right */
  async ask(question: Question): Promise<boolean> {
    const startedAt = performance.now();
    const outcome = await this.outcomeOf(question);
    this.ledger.note(question.kind, startedAt, outcome);
    return outcome === 'right';
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async outcomeOf({ url, method, headers, body, status, faultOf }: Question): Promise<Outcome> {
    try {
      const type = body !== undefined && { 'content-type': 'application/json' };
      const options = {
        dispatcher: this.agent,
        method,
        headers: { ...type, ...headers },
        body: body ?? null,
      };
      const answer = await request(url, options);
      const text = await answer.body.text();
      if (answer.statusCode === status) {
        const wrong = faultOf?.(text);
        return wrong === undefined ? 'right' : { wrong };
      }
      const said = `${answer.statusCode} ${codeOf(text)}`;
      return UNAVAILABLE.includes(answer.statusCode) ? { refused: said } : { wrong: said };
    } catch (error) {
      return /Timeout/.test((error as Error).name) ? { wrong: 'no answer' } : 'unconnected';
    }
  }
}

/** The code of a problem, or the text itself. */
function codeOf(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, TEXT_CHARACTERS);
}
