import type { Stack } from './start-stack.js';

/** A JSON value that a test looks into. */

export type Json = any;

/** An answer read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, or undefined. */
  readonly json: Json;
}

/** Sends a request to the service and reads the answer whole. */
export async function call(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

/** Asks for a browser token as a demo user, or with a token of the caller's own making. */
export function askToken(
  { url }: Pick<Stack, 'url'>,
  endUserToken: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return call(`${url}/auth/token`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(endUserToken !== undefined && { authorization: `Bearer ${endUserToken}` }),
      ...headers,
    },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
