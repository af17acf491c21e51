import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { TOKEN_PREFIXES } from './world.js';

// Upstream and issuer of the drill, as a process beside the service, whose event loop is watched: it answers at once, but
// for operations named `Hang`, which it never answers, and an issuer that refuses to be asked often. Tells its origin to
// the process that started it.

const LARGE_BYTES = 25_165_824; // more than the buffers of the operating system hold for a caller that reads nothing
const SMALL = Buffer.alloc(16_384, 'x');
const LONG_TEXT = 'é'.repeat(450_000);
const SINK_SLOW_MS = 2_000;
const CHUNK = Buffer.alloc(65_536, 'x');
const ISSUER_WINDOW_MS = 10_000;
const ISSUER_CALLS_MAX = 5;
const UNAUTHENTICATED = '{"errors":[{"message":"expired","extensions":{"code":"UNAUTHENTICATED"}}]}';

interface Operation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, string>>;
}

let minted = 0;
let issuerCalls = 0;
let deliveries = 0;
setInterval(() => (issuerCalls = 0), ISSUER_WINDOW_MS).unref();

const hirerOf = (token: string): string => Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
const idOf = (value: string): unknown => ({ id: { value } });

function answerOperation({ query, variables = {} }: Operation, token: string): string | undefined {
  const id = variables['id'] ?? '';
  if (query.includes('query Hang') || id.startsWith('hang ')) return undefined;
  if (query.includes('query Event(')) return UNAUTHENTICATED;
  if (query.includes('query HirerNames(')) return dataOf(namesIn(query));
  if (query.includes('query Application(')) return dataOf({ candidateProfile: applicationOf(id) });
  if (query.includes('query DeliveredApplication(')) return dataOf({ candidateProfile: deliveredOf(id) });
  if (query.includes('query Hirer(')) {
    return dataOf({ hiringOrganization: { ...(idOf(variables['hirerId']!) as object), name: 'A name' } });
  }
  return dataOf({ self: { hirer: idOf(hirerOf(token)) } });
}

function dataOf(data: unknown): string {
  return JSON.stringify({ data });
}

function namesIn(query: string): Record<string, unknown> {
  const aliases = [...query.matchAll(/(h\d+):/g)].map(([, alias]) => [alias, { name: 'A name' }]);
  return Object.fromEntries(aliases) as Record<string, unknown>;
}

/** The id of an application names its hirer and the size of its attachment: `large drill:organization:seek:0`. */
function applicationOf(id: string): unknown {
  const [size, hirer] = id.split(' ');
  return {
    associatedPositionProfile: { positionOrganizations: [idOf(hirer!)] },
    attachments: [{ ...(idOf(id) as object), url: `${origin()}/attachments/${size}` }],
  };
}

/** An application with the text that candidates write, nearly as much of it as the service takes. */
function deliveredOf(id: string): unknown {
  const text = id.startsWith('large ') ? LONG_TEXT : '';
  return { ...(applicationOf(id) as object), qualifications: [{ competencyName: text }] };
}

function answerGraphql(body: string, token: string, response: ServerResponse): void {
  const sent = JSON.parse(body) as Operation | Operation[];
  const answers = [sent].flat().map((operation) => answerOperation(operation, token));
  if (answers.includes(undefined)) return;
  sendJson(response, Array.isArray(sent) ? `[${answers.join(',')}]` : answers[0]!);
}

function issue(response: ServerResponse): void {
  issuerCalls += 1;
  if (issuerCalls > ISSUER_CALLS_MAX) return void response.writeHead(429, { 'retry-after': '10' }).end();
  sendToken(response, `${TOKEN_PREFIXES.partner}${(minted += 1)}`);
}

function mint(body: string, response: ServerResponse): void {
  const { hirerId } = JSON.parse(body) as { hirerId: string };
  const named = Buffer.from(hirerId).toString('base64url');
  sendToken(response, `${TOKEN_PREFIXES.browser}${(minted += 1)}.${named}`);
}

function sendToken(response: ServerResponse, token: string): void {
  sendJson(response, JSON.stringify({ access_token: token, expires_in: 3_600, token_type: 'Bearer' }));
}

function sendJson(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

function sendLarge(response: ServerResponse): void {
  let left = LARGE_BYTES;
  response.writeHead(200, { 'content-length': LARGE_BYTES });
  const pump = (): void => {
    while (left > 0) {
      left -= CHUNK.length;
      if (!response.write(CHUNK)) return void response.once('drain', pump);
    }
    response.end();
  };
  pump();
}

function answer(url: string, token: string, body: string, response: ServerResponse): void {
  if (url === '/issuer/token') return issue(response);
  if (url === '/auth/token') return mint(body, response);
  if (url === '/graphql') return answerGraphql(body, token, response);
  if (url === '/attachments/large') return sendLarge(response);
  if (url === '/sink') return receive(response);
  response.writeHead(200, { 'content-length': SMALL.length }).end(SMALL);
}

/** Every fourth delivery is acknowledged late. */
function receive(response: ServerResponse): void {
  deliveries += 1;
  setTimeout(() => response.writeHead(204).end(), deliveries % 4 === 0 ? SINK_SLOW_MS : 0);
}

const server = createServer((request: IncomingMessage, response) => {
  const token = (request.headers.authorization ?? '').slice('Bearer '.length);
  const begin = (body: string): void => answer(request.url ?? '', token, body, response);
  void textOf(request).then(begin, () => undefined);
});

const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
server.listen(0, '127.0.0.1', () => process.send!(origin()));
process.once('disconnect', () => process.exit(0));
