import { createHmac } from 'node:crypto';
import supertest from 'supertest';
import { sendBody, type Answer } from '../support/start-stack.js';

/** An event as the upstream sends it. */
export type SentEvent = Record<string, unknown>;

export const SUBSCRIPTION = 'seekAnzPublicTest:webhookSubscription:events:test';

/** Hirers of the playground. */
export const BANKSIA = 'seekAnzPublicTest:organization:seek:93WyyF1h';
export const NUSANTARA = 'seekAnzPublicTest:organization:seek:4Kd8mQxT';
export const CHAO_PHRAYA = 'seekAnzPublicTest:organization:seek:7RwvC2Hn';

/** A hirer and another one, each way. */
export const HIRER_PAIRS = [
  [BANKSIA, NUSANTARA],
  [NUSANTARA, BANKSIA],
] as const;

/** Events of half a year ago are no longer taken. */
export const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString();

let counter = 0;

/** An event with a unique id, for a hirer. */
export function anEvent(members: SentEvent = {}): SentEvent {
  counter += 1;
  return {
    id: `seekAnzPublicTest:event:events:${process.pid}-${counter}`,
    type: 'CandidateApplicationCreated',
    createDateTime: YESTERDAY,
    hirerId: BANKSIA,
    candidateId: `candidate-${counter}`,
    ...members,
  };
}

/** The signature of a body, as the upstream computes it. */
export function signWebhook(body: string | Buffer, secret: string, algorithm = 'sha512'): string {
  return createHmac(algorithm, secret).update(body).digest('hex');
}

/** The body of a webhook. */
export function webhookBody(events: readonly unknown[], subscriptionId = SUBSCRIPTION): string {
  return JSON.stringify({ events, subscriptionId, url: 'https://partner.example/webhooks' });
}

/** Sends a body with the given headers. */
export async function postWebhook(
  url: string,
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<Answer> {
  const request = supertest(url)
    .post('/webhooks')
    .set({ 'content-type': 'application/json', ...headers });
  return sendBody(request, body);
}

/** Sends signed events. */
export function sendWebhook(url: string, secret: string, events: readonly unknown[]): Promise<Answer> {
  const body = webhookBody(events);
  return postWebhook(url, body, { 'seek-signature': signWebhook(body, secret) });
}

/** A browser's end of `GET /events/stream`. */
export class Listener {
  text = '';
  ended = false;

  private constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {
    void this.read();
  }

  static async open(url: string, token: string, headers: Record<string, string> = {}): Promise<Listener> {
    const abort = new AbortController();
    const response = await fetch(`${url}/events/stream`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: abort.signal,
    });
    return new Listener(response, abort);
  }

  get events(): { id: string; type: string; data: Record<string, unknown> }[] {
    return [...this.text.matchAll(/^id: (.*)\ndata: (.*)\n\n/gm)].map(([, id, data]) => ({
      id,
      ...JSON.parse(data!),
    }));
  }

  get ids(): string[] {
    return this.events.map(({ id }) => id);
  }

  close(): void {
    this.abort.abort();
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body!) this.text += decoder.decode(chunk, { stream: true });
    } catch {
      // aborted, or cut
    }
    this.ended = true;
  }
}
