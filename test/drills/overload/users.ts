import { Caller, type Reply } from '../caller.js';
import { TOKEN_PREFIXES, type Person } from './world.js';

const STEP_MS = 500;
const PATIENCE_MS = 10_000;
const CONNECTIONS = 100;
const SCOPE = 'query:organizations';

/** How the users' requests went in one phase. */
export interface UsersReport {
  readonly requests: number;
  readonly failed: number;
  /** The outcomes of the failed ones. */
  readonly failures: Readonly<Record<string, number>>;
  readonly p99Ms: number;
}

/** Their requests in one phase, by name. */
class Phase {
  private readonly times: number[] = [];
  private readonly failures: Record<string, number> = {};

  note(name: string, elapsedMs: number, fault: string | undefined): void {
    this.times.push(elapsedMs);
    if (fault === undefined) return;
    const failure = `${name}: ${fault}`;
    this.failures[failure] = (this.failures[failure] ?? 0) + 1;
  }

  report(): UsersReport {
    const times = this.times.toSorted((a, b) => a - b);
    return {
      requests: times.length,
      failed: Object.values(this.failures).reduce((sum, count) => sum + count, 0),
      failures: this.failures,
      p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
    };
  }
}

/**
 * Users who work: each makes a request every half second whether the last was answered or not, in turn for a browser
 * token, their hirers, a GraphQL text, a registered operation, and an application with its attachment. A request
 * succeeds when it is answered 200, in ten seconds, with what is right for that user.
 */
export class Users {
  private readonly caller = new Caller(PATIENCE_MS, CONNECTIONS);
  private readonly underWay = new Set<Promise<void>>();
  private phase = new Phase();

  constructor(
    private readonly url: string,
    private readonly persons: readonly Person[],
  ) {}

  /** Works for so long, and gives how it went once every request is over. */
  async work(seconds: number): Promise<UsersReport> {
    this.phase = new Phase();
    const stepMs = STEP_MS / this.persons.length;
    let turn = 0;
    const timer = setInterval(() => {
      this.begin(turn);
      turn += 1;
    }, stepMs);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    clearInterval(timer);
    await Promise.all(this.underWay);
    return this.phase.report();
  }

  /** Goes away. */
  close(): Promise<void> {
    return this.caller.close();
  }

  private begin(turn: number): void {
    const count = this.persons.length;
    const person = this.persons[turn % count]!;
    const work = this.act(person, turn + Math.floor(turn / count)).finally(() => this.underWay.delete(work));
    this.underWay.add(work);
  }

  private async act(person: Person, kind: number): Promise<void> {
    const { hirer } = person;
    const acts = [
      () =>
        this.ask('token', person, '/auth/token', TOKEN_PREFIXES.browser, { hirerId: hirer, scope: SCOPE }),
      () => this.ask('hirers', person, '/hirers', hirer),
      () => this.ask('text', person, '/graphql', hirer, { query: '{ self { hirer { id { value } } } }' }),
      () => this.ask('registered', person, '/graphql', hirer, { documentId: 'Hirer', variables: {} }),
      () => this.readAttachment(person),
    ];
    await acts[kind % acts.length]!();
  }

  private async readAttachment(person: Person): Promise<void> {
    const body = { documentId: 'Application', variables: { id: `small ${person.hirer}` } };
    const text = await this.ask('application', person, '/graphql', person.hirer, body);
    const link = /"(\/attachments\/[^"]+)"/.exec(text)?.[1];
    if (link !== undefined) await this.ask('attachment', person, link, 'xxx');
  }

  private async ask(
    name: string,
    { token, hirer }: Person,
    path: string,
    expected: string,
    body?: object,
  ): Promise<string> {
    const { phase } = this;
    const startedAt = performance.now();
    const sent = { token, hirer, body: body && JSON.stringify(body), leaveAfterMs: PATIENCE_MS };
    const answer = await this.caller.send(this.url + path, sent).catch(() => undefined);
    const isRight = answer?.status === 200 && answer.text.includes(expected);
    phase.note(name, performance.now() - startedAt, isRight ? undefined : faultOf(answer));
    return answer?.text ?? '';
  }
}

function faultOf(answer: Reply | undefined): string {
  return answer === undefined ? 'no answer' : `${answer.status} ${answer.text.slice(0, 120)}`;
}
