import { anEvent, signWebhook, webhookBody } from '../../webhooks/send-webhook.js';
import { SECRETS, signIn, type Person } from '../overload/world.js';
import type { Asking } from './asking.js';

const USERS = 20;
const USERS_MS = 50;
const WEBHOOK_MS = 200;
const EVENTS = 2;
const LEAVER_MS = 1_000;
/** A membership that ended has ended everywhere by then (docs/threat-model.md). */
const REVOKED_MS = 1_000;
const ASKED_AFTERWARDS = 10;
const ASKED_EVERY_MS = 300;
const SCOPE = 'query:organizations';
const HIRERS = /drill:organization:seek:\w+/g;

/** Where a replica is. */
export interface Address {
  readonly url: string;
  readonly opsUrl: string;
}

/** Users, back ends and upstream of the drill, at a steady rate, whatever the answers: to each replica in turn. */
export class Loads {
  /** Ids of the events whose webhook was answered 204. */
  readonly acknowledged: string[] = [];
  private readonly persons = Array.from({ length: USERS }, (_, n) =>
    signIn(`user-${n}`, `drill:organization:seek:${n}`),
  );
  private readonly underWay = new Set<Promise<unknown>>();
  private timers: NodeJS.Timeout[] = [];
  private turns = 0;

  constructor(
    private readonly asking: Asking,
    private readonly replicas: readonly Address[],
  ) {}

  /** Makes the users members of their hirers, and begins. */
  async start(): Promise<void> {
    for (const person of this.persons) await this.change('PUT', person, 200);
    const repeat = (ms: number, work: (turn: number) => Promise<unknown>): void => {
      let turn = 0;
      this.timers.push(setInterval(() => this.track(work((turn += 1))), ms));
    };
    repeat(USERS_MS, (turn) => this.work(this.persons[turn % USERS]!, turn + Math.floor(turn / USERS)));
    repeat(WEBHOOK_MS, () => this.sendWebhook());
    repeat(LEAVER_MS, (turn) => this.leave(signIn(`leaver-${turn}`, `drill:organization:seek:left${turn}`)));
  }

  /** Resolves once every request is over. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.underWay);
  }

  /** Sends a webhook now. */
  async sendWebhook(): Promise<readonly string[]> {
    const events = Array.from({ length: EVENTS }, () => anEvent({ hirerId: this.persons[0]!.hirer }));
    const body = webhookBody(events);
    const isTaken = await this.asking.ask({
      kind: 'webhook',
      url: `${this.next.url}/webhooks`,
      headers: { 'seek-signature': signWebhook(body, SECRETS.WEBHOOK_SECRETS) },
      body,
      status: 204,
    });
    const ids = isTaken ? events.map(({ id }) => String(id)) : [];
    this.acknowledged.push(...ids);
    return ids;
  }

  private get next(): Address {
    this.turns += 1;
    return this.replicas[this.turns % this.replicas.length]!;
  }

  private track(work: Promise<unknown>): void {
    const tracked = work.finally(() => this.underWay.delete(tracked));
    this.underWay.add(tracked);
  }

  private work(person: Person, turn: number): Promise<unknown> {
    const acts = [
      () => this.askToken(person),
      () => this.ask('hirers', person, '/hirers'),
      () => this.ask('text', person, '/graphql', { query: '{ self { hirer { id { value } } } }' }),
      () => this.ask('registered', person, '/graphql', { documentId: 'Hirer', variables: {} }),
    ];
    return acts[turn % acts.length]!();
  }

  private askToken(person: Person): Promise<boolean> {
    return this.ask('token', person, '/auth/token', { hirerId: person.hirer, scope: SCOPE }, (text) => {
      const { access_token: token } = JSON.parse(text) as { access_token: string };
      return Buffer.from(token.split('.')[1]!, 'base64url').toString();
    });
  }

  /** Asks as a user; the answer names the hirer of that user, and no other. */
  private ask(
    kind: string,
    { token, hirer }: Person,
    path: string,
    body?: object,
    read = (text: string): string => text,
  ): Promise<boolean> {
    return this.asking.ask({
      kind,
      url: this.next.url + path,
      token,
      hirer,
      body: body && JSON.stringify(body),
      status: 200,
      faultOf: (text) => {
        const named = new Set(read(text).match(HIRERS));
        return named.size === 1 && named.has(hirer) ? undefined : `names ${[...named].join() || 'no hirer'}`;
      },
    });
  }

  /** A user becomes a member, asks for a token, and is none any more; from then on there is none for them. */
  private async leave(person: Person): Promise<void> {
    await this.change('PUT', person, 200);
    await this.askToken(person);
    await this.change('DELETE', person, 204);
    for (let asked = 0; asked < ASKED_AFTERWARDS; asked += 1) {
      await new Promise((resolve) => setTimeout(resolve, asked === 0 ? REVOKED_MS : ASKED_EVERY_MS));
      await this.asking.ask({
        kind: 'token of one who has left',
        url: `${this.next.url}/auth/token`,
        token: person.token,
        body: JSON.stringify({ hirerId: person.hirer, scope: SCOPE }),
        status: 403,
      });
    }
  }

  /** Tries until it is answered. */
  private async change(method: 'PUT' | 'DELETE', { subject, hirer }: Person, status: number): Promise<void> {
    const path = `/memberships/${encodeURIComponent(subject)}/${encodeURIComponent(hirer)}`;
    const change = (): Promise<boolean> =>
      this.asking.ask({ kind: `membership ${method}`, url: this.next.opsUrl + path, method, status });
    while (!(await change())) await new Promise((resolve) => setTimeout(resolve, ASKED_EVERY_MS));
  }
}
