import { Agent, type Dispatcher } from 'undici';

/** A request whose answer is JSON, and the bounds of that answer. */
export interface JsonRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time for the whole exchange, connecting included. */
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
}

/** Connections to the servers that the operator configured: TLS verified and at least 1.2, no redirect followed. */
export function openAgent(): Agent {
  return new Agent({ connect: { timeout: 2_000, minVersion: 'TLSv1.2' }, connections: 16 });
}

/**
 * What a server answers with status 200, as parsed JSON.
 * @throws Error for any other status, a redirect included, a late or oversized answer, or one that is not JSON. Its
 *   message holds nothing of the answer
 */
export async function requestJson(agent: Dispatcher, url: URL, request: JsonRequest): Promise<unknown> {
  const { timeoutMs, bodyBytesMax, headers, ...rest } = request;
  const answer = await agent.request({
    ...rest,
    origin: url.origin,
    path: url.pathname + url.search,
    headers: { accept: 'application/json', ...headers },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (answer.statusCode !== 200) {
    answer.body.on('error', () => undefined).destroy();
    throw new Error(`answered with status ${answer.statusCode}`);
  }
  return parseJson(await readBody(answer.body, bodyBytesMax));
}

/** Leaving the loop early destroys the body, and with it the connection. */
async function readBody(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`answered with more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Error('answered with a body that is not JSON');
  }
}
