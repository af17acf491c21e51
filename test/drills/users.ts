import type { Asking } from './asking.js';
import type { Person } from './overload/world.js';

const SCOPE = 'query:organizations';
const HIRERS = /drill:organization:seek:\w+/g;
const FILE = /^x+$/;

/**
 * Users who work, whether they are answered or not: in turn they ask for a browser token, their hirers, a GraphQL text, a
 * registered operation, and an application with its attachment. Each answer names the hirer of the user, and no other.
 */
export class Users {
  private readonly underWay = new Set<Promise<unknown>>();
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param next the URL for the next request
   * @param stepMs the time between two requests
   */
  constructor(
    private readonly asking: Asking,
    private readonly persons: readonly Person[],
    private readonly next: () => string,
    private readonly stepMs: number,
  ) {}

  begin(): void {
    let turn = 0;
    const step = (): void => {
      const count = this.persons.length;
      const person = this.persons[turn % count]!;
      const work = this.act(person, turn + Math.floor(turn / count)).finally(() =>
        this.underWay.delete(work),
      );
      this.underWay.add(work);
      turn += 1;
    };
    this.timer = setInterval(step, this.stepMs);
  }

  /** Resolves once every request is over. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.underWay);
  }

  askToken(person: Person): Promise<unknown> {
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
    await this.asking.ask({ kind: 'attachment', url: this.next() + link, token: person.token, faultOf });
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
    const url = this.next() + path;
    return this.asking.ask({ kind, url, token, hirer, body: body && JSON.stringify(body), faultOf });
  }
}
