import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';

/** A request as a caller without manners may make it. */
export interface SentRequest {
  readonly method: string;
  /** Path and query; what may not stand in a request line is percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The answer; the body of an event stream is left unread. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true });

/** Sends a request and reads the answer whole. */
export function send(origin: string, { method, path, headers, body }: SentRequest): Promise<ReceivedAnswer> {
  return new Promise((resolve, reject) => {
    const bodied = body.length > 0 || method === 'POST' || method === 'PUT';
    const all = { ...headers, ...(bodied && { 'content-length': String(body.length) }) };
    const options = {
      method,
      path: encodeURI(path.toWellFormed()).replaceAll('%25', '%'),
      headers: all,
      agent,
    };
    request(origin, options, (answer) => void read(answer).then(resolve, reject))
      .on('error', reject)
      .end(bodied ? body : undefined);
  });
}

async function read(answer: IncomingMessage): Promise<ReceivedAnswer> {
  const { statusCode: status = 0, headers } = answer;
  if (headers['content-type'] === 'text/event-stream') {
    answer.destroy();
    return { status, headers, text: '' };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return { status, headers, text: Buffer.concat(chunks).toString('utf8') };
}

/** Sends bytes as they are, no more after them, and gives what came back until the other side closed. */
export function sendBytes(origin: string, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(origin);
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined); // it may well be reset
    socket.on('close', () => resolve(text));
  });
}

/** Ends the connections that are kept. */
export function closeConnections(): void {
  agent.destroy();
}
