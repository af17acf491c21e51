import { anEvent, signWebhook, webhookBody } from '../../webhooks/send-webhook.js';
import type { Asking } from '../asking.js';
import { SECRETS, signIn, type Person } from '../overload/world.js';
import { Users } from '../users.js';
import type { Stage } from './stage.js';

const USERS = 20;
const USERS_MS = 50;
const WEBHOOK_MS = 200;
const EVENTS = 2;
const LEAVER_MS = 1_000;
/** A membership that ended has ended everywhere by then (docs/threat-model.md). */
const REVOKED_MS = 1_000;
const ASKED_AFTERWARDS = 10;
const ASKED_EVERY_MS = 300;

/** Users, back ends and upstream of the drill, at a steady rate, whatever the answers. */
export class Loads extends Users {
  /** Ids of the events whose webhook was answered 204. */
  readonly acknowledged: string[] = [];

  constructor(asking: Asking, replicas: Stage['replicas']) {
    const persons = Array.from({ length: USERS }, (_, n) =>
      signIn(`user-${n}`, `drill:organization:seek:${n}`),
    );
    super(asking, persons, replicas, USERS_MS);
  }

  /** Makes the users members of their hirers, and begins. */
  async start(): Promise<void> {
    for (const person of this.persons) await this.change('PUT', person, 200);
    this.begin();
    this.repeat(WEBHOOK_MS, () => this.sendWebhook());
    this.repeat(LEAVER_MS, (turn) =>
      this.leave(signIn(`leaver-${turn}`, `drill:organization:seek:left${turn}`)),
    );
  }

  /** Sends a webhook now. */
  async sendWebhook(): Promise<readonly string[]> {
    const events = Array.from({ length: EVENTS }, () => anEvent({ hirerId: this.persons[0]!.hirer }));
    const body = webhookBody(events);
    const answer = await this.asking.ask({
      kind: 'webhook',
      url: `${this.next.url}/webhooks`,
      headers: { 'seek-signature': signWebhook(body, SECRETS.WEBHOOK_SECRETS) },
      body,
      status: 204,
    });
    const ids = answer === undefined ? [] : events.map(({ id }) => String(id));
    this.acknowledged.push(...ids);
    return ids;
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
        body: JSON.stringify({ hirerId: person.hirer, scope: 'query:organizations' }),
        status: 403,
      });
    }
  }

  /** Tries until it is answered. */
  private async change(method: 'PUT' | 'DELETE', { subject, hirer }: Person, status: number): Promise<void> {
    const path = `/memberships/${encodeURIComponent(subject)}/${encodeURIComponent(hirer)}`;
    const change = (): Promise<string | undefined> =>
      this.asking.ask({ kind: `membership ${method}`, url: this.next.opsUrl + path, method, status });
    while ((await change()) === undefined) {
      await new Promise((resolve) => setTimeout(resolve, ASKED_EVERY_MS));
    }
  }
}
