import { Caller, type Sent } from './caller.js';

const UNAVAILABLE = [502, 503, 504];
const TEXT_CHARACTERS = 160;

/** A request, and its right answer. */
export interface Question extends Sent {
  /** A name for the report. */
  readonly kind: string;
  readonly url: string;
  /** The status of a right answer: 200, where nothing else is said. */
  readonly status?: number;
  /** What is wrong with the text of an answer of that status, if anything is. */
  readonly faultOf?: (text: string) => string | undefined;
}

/** Counts by description. */
export type Counts = Record<string, number>;

/** What became of the requests of one stretch of time. */
export interface Stretch {
  readonly requests: number;
  /** Without a connection. */
  readonly unconnected: number;
  /** For now: 502, 503 or 504. */
  readonly refused: Counts;
  /** What must not be. */
  readonly wrong: Counts;
  readonly longestMs: number;
  readonly p99Ms: number;
}

/** Asks replicas, and notes what becomes of it. */
export class Asking {
  /** When the last request ended that was not answered right, by `performance.now()`. */
  lastFailureAt = 0;
  private readonly caller: Caller;
  private timesMs: number[] = [];
  private counts = { unconnected: 0, refused: {} as Counts, wrong: {} as Counts };

  /** @param patienceMs an answer later than this does not come */
  constructor(private readonly patienceMs: number) {
    this.caller = new Caller(patienceMs);
  }

  /** @returns the text of the answer, if it was right */
  async ask({ kind, url, status = 200, faultOf, ...sent }: Question): Promise<string | undefined> {
    const startedAt = performance.now();
    const { counts } = this;
    const right = await this.caller.send(url, { ...sent, leaveAfterMs: this.patienceMs }).then(
      (reply) => {
        const said = `${reply.status} ${codeOf(reply.text)}`;
        const fault = reply.status === status ? faultOf?.(reply.text) : said;
        if (fault === undefined) return reply.text;
        count(UNAVAILABLE.includes(reply.status) ? counts.refused : counts.wrong, `${kind}: ${fault}`);
        return undefined;
      },
      ({ name }: Error) => {
        if (name.includes('Timeout')) count(counts.wrong, `${kind}: no answer`);
        else counts.unconnected += 1;
      },
    );
    const endedAt = performance.now();
    this.timesMs.push(endedAt - startedAt);
    if (right === undefined) this.lastFailureAt = endedAt;
    return right ?? undefined;
  }

  /** From now on requests are counted anew; gives the counts so far. */
  turn(): Stretch {
    const { counts } = this;
    const timesMs = this.timesMs.toSorted((a, b) => a - b);
    this.timesMs = [];
    this.counts = { unconnected: 0, refused: {}, wrong: {} };
    const p99Ms = timesMs[Math.floor(timesMs.length * 0.99)] ?? 0;
    return { requests: timesMs.length, ...counts, longestMs: timesMs.at(-1) ?? 0, p99Ms };
  }

  close(): Promise<void> {
    return this.caller.close();
  }
}

/** The code of a problem, or the text itself. */
function codeOf(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, TEXT_CHARACTERS);
}

function count(counts: Counts, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}

/** The sum of all. */
export function sumOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, times) => sum + times, 0);
}
