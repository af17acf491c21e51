import supertest, { type Response, type Test } from 'supertest';
import type { Stack } from './start-stack.js';

/** A JSON value that a test looks into. */
export type Json = any;

/** An answer read whole: `body` is its JSON, `text` what was sent. */
export type Answer = Response;

/** Asks for a browser token as a demo user, or with a token of the caller's own making. */
export async function askToken(
  { url }: Pick<Stack, 'url'>,
  endUserToken: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const authorization = endUserToken !== undefined && { authorization: `Bearer ${endUserToken}` };
  const request = supertest(url)
    .post('/auth/token')
    .set({ 'content-type': 'application/json', ...authorization, ...headers });
  return sendBody(request, body);
}

/** Reads an address with a token. */
export async function getAs(url: string, path: string, token: string): Promise<Answer> {
  return supertest(url)
    .get(path)
    .set({ authorization: `Bearer ${token}` });
}

/** Sends text and bytes unchanged, anything else as JSON. superagent would encode bytes as JSON, too. */
export function sendBody(request: Test, body: unknown): Test {
  if (body instanceof Uint8Array) return request.serialize((bytes) => bytes).send(Buffer.from(body));
  return request.send(typeof body === 'string' ? body : JSON.stringify(body));
}
