import { Agent } from 'undici';

/** A request to the service. */
export interface DrillRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly origin: string;
  readonly path: string;
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

const CONNECTIONS = 64;
const ANSWER_TIMEOUT_MS = 30_000;

/** Sends the drill's requests over connections that are kept. */
export class DrillClient {
  private readonly agent = new Agent({
    connections: CONNECTIONS,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });

  /** Undefined when there was no whole answer. */
  async send({
    origin,
    path,
    method,
    headers,
    body,
    leaveAfterMs,
  }: DrillRequest): Promise<Reply | undefined> {
    const signal = leaveAfterMs === undefined ? null : AbortSignal.timeout(leaveAfterMs);
    try {
      const answer = await this.agent.request({
        origin,
        path,
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body ?? null,
        signal,
      });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch {
      return undefined;
    }
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }
}
