import { connect } from 'node:net';
import { Agent, request } from 'undici';

const PATIENCE_MS = 60_000;

/** A request of an attack: a `POST` when there is a body. */
export interface Sent {
  readonly path: string;
  readonly token?: string | undefined;
  readonly hirer?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One sender of requests, with connections of its own. */
export class Caller {
  private readonly agent: Agent;

  constructor(
    private readonly url: string,
    connections: number,
  ) {
    this.agent = new Agent({ connections, headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });
  }

  /** Sends a request, throws the answer away, and gives its status, or `broken`. */
  async send({ path, token, hirer, body, headers }: Sent): Promise<string> {
    try {
      const answer = await request(`${this.url}${path}`, {
        dispatcher: this.agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(hirer !== undefined && { 'x-hirer-id': hirer }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      });
      await answer.body.dump();
      return String(answer.statusCode);
    } catch {
      return 'broken';
    }
  }
}

/**
 * Opens a connection, sends `head`, and then neither sends nor reads until the other side closes it, which it gives as
 * the status that came first, or `cut`.
 */
export function hold(url: string, head: string | Buffer, onStatus: (status: string) => void): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(head);
  return new Promise((resolve) => {
    let answered = false;
    socket.once('data', (text: Buffer) => {
      answered = true;
      const status = text.toString('latin1').split(' ')[1] ?? '';
      onStatus(status);
      if (status.startsWith('2')) socket.pause();
      else socket.destroy();
    });
    socket.once('close', () => {
      if (!answered) onStatus('cut');
      resolve();
    });
  });
}
