import { Agent, request } from 'undici';

/** A request of a drill: a `POST` where there is a body, and nothing else is said. */
export interface Sent {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly token?: string | undefined;
  readonly hirer?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** The caller goes away after so many milliseconds. */
  readonly leaveAfterMs?: number | undefined;
}

/** An answer read whole. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Sends requests over connections that it keeps. */
export class Caller {
  private readonly agent: Agent;

  /** @param patienceMs how long an answer may take to begin, and each part of it to come */
  constructor(patienceMs: number, connections: number | null = null) {
    this.agent = new Agent({ connections, headersTimeout: patienceMs, bodyTimeout: patienceMs });
  }

  /** @throws Error where there is no whole answer */
  async send(url: string, { token, hirer, body, leaveAfterMs, ...sent }: Sent = {}): Promise<Reply> {
    const answer = await request(url, {
      dispatcher: this.agent,
      method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(hirer !== undefined && { 'x-hirer-id': hirer }),
        ...sent.headers,
      },
      body: body ?? null,
      signal: leaveAfterMs === undefined ? null : AbortSignal.timeout(leaveAfterMs),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }
}
