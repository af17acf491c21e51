import type { Asking } from './asking.js';
import type { Person } from './overload/world.js';

const SCOPE = 'query:organizations';
const HIRERS = /drill:organization:seek:\w+/g;
const FILE = /^x+$/;

/** Where a replica is. */
interface Address {
  readonly url: string;
  readonly opsUrl: string;
}

/**
 * Users who work, whether they are answered or not: in turn they ask for a browser token, their hirers, a GraphQL text, a
 * registered operation, and an application with its attachment. Each answer names the hirer of the user, and no other.
 */
export class Users {
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly timers: NodeJS.Timeout[] = [];
  private turns = 0;

  /** @param stepMs the time between two requests */
  constructor(
    protected readonly asking: Asking,
    protected readonly persons: readonly Person[],
    private readonly replicas: readonly Address[],
    private readonly stepMs: number,
  ) {}

  begin(): void {
    const { length } = this.persons;
    this.repeat(this.stepMs, (turn) =>
      this.act(this.persons[turn % length]!, turn + Math.floor(turn / length)),
    );
  }

  /** Resolves once every request is over. */
  async end(): Promise<void> {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
    await Promise.all(this.underWay);
  }

  /** Where the next request goes: to each replica in turn. */
  protected get next(): Address {
    this.turns += 1;
    return this.replicas[this.turns % this.replicas.length]!;
  }

  protected repeat(ms: number, work: (turn: number) => Promise<unknown>): void {
    let turn = 0;
    const step = (): void => {
      const begun = work(turn).finally(() => this.underWay.delete(begun));
      this.underWay.add(begun);
      turn += 1;
    };
    this.timers.push(setInterval(step, ms));
  }

  protected askToken(person: Person): Promise<unknown> {
    const nameIn = (text: string): string => {
      const [, claims = ''] = /"access_token":"[^".]*\.([^"]*)"/.exec(text) ?? [];
      return Buffer.from(claims, 'base64url').toString();
    };
    return this.ask('token', person, '/auth/token', { hirerId: person.hirer, scope: SCOPE }, nameIn);
  }

  private act(person: Person, turn: number): Promise<unknown> {
    const acts = [
      () => this.askToken(person),
      () => this.ask('hirers', person, '/hirers'),
      () => this.ask('text', person, '/graphql', { query: '{ self { hirer { id { value } } } }' }),
      () => this.ask('registered', person, '/graphql', { documentId: 'Hirer', variables: {} }),
      () => this.readAttachment(person),
    ];
    return acts[turn % acts.length]!();
  }

  private async readAttachment(person: Person): Promise<void> {
    const body = { documentId: 'Application', variables: { id: `small ${person.hirer}` } };
    const text = await this.ask('application', person, '/graphql', body);
    const link = /"(\/attachments\/[^"]+)"/.exec(text ?? '')?.[1];
    if (link === undefined) return;
    const faultOf = (file: string): string | undefined => (FILE.test(file) ? undefined : 'another file');
    await this.asking.ask({ kind: 'attachment', url: this.next.url + link, token: person.token, faultOf });
  }

  private ask(
    kind: string,
    { token, hirer }: Person,
    path: string,
    body?: object,
    namesIn = (text: string): string => text,
  ): Promise<string | undefined> {
    const faultOf = (text: string): string | undefined => {
      const named = [...new Set(namesIn(text).match(HIRERS))].join();
      return named === hirer ? undefined : `names ${named || 'no hirer'}`;
    };
    const url = this.next.url + path;
    return this.asking.ask({ kind, url, token, hirer, body: body && JSON.stringify(body), faultOf });
  }
}
