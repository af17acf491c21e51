import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import {
  UNKNOWN_MEMBERS,
  dearText,
  dearTexts,
  emptyMembers,
  hostileJson,
  scrubbedHeaders,
  scrubbedName,
} from './attack-bodies.js';
import { Caller, type Sent } from '../caller.js';

/** The target of the attacks, and what the attackers have. */
export interface Target {
  readonly url: string;
  /** Of the member who attacks. */
  readonly token: string;
  readonly hirer: string;
  /** The token of a machine. */
  readonly machine: string;
  /** Signs webhooks: the upstream sends whatever candidates do. */
  readonly webhookSecret: string;
}

/** One attack, at a rate that leaves the machine to those who work. */
export interface Attack {
  readonly name: string;
  readonly perSecond: number;
  /** Under way at one time; none is begun above it. */
  readonly inFlightMax: number;
  /** So many at once, at the same rate; 1 by default. */
  readonly burst?: number;
  /** Makes the `n`th attempt, counts its status or what became of it, and resolves when it holds nothing more. */
  attempt(n: number, count: (outcome: string) => void): Promise<void>;
}

const UNFINISHED_BYTES = 900_000;
const PATIENCE_MS = 60_000;

type Request = Sent & { readonly path: string };

const FLOOD: readonly Request[] = [
  { path: '/graphql', body: '{"query":"{ self { hirer { name } } }"}' },
  { path: '/auth/token', body: '{}', token: 'not.a.token' },
  { path: '/attachments/anything' },
  { path: '/hirers', token: 'not.a.token' },
];

/** The attacks of one address: of one member where it takes a member, and of a machine and the upstream without measure. */
export function attacksOn(target: Target): readonly Attack[] {
  const { token, hirer, machine, webhookSecret } = target;
  const member = { token, hirer };
  const graphql = (body: string): Request => ({ path: '/graphql', body });
  const asMember = (body: string): Request => ({ ...graphql(body), ...member });
  const inTurn = (n: number, ...kinds: readonly (() => Request)[]): Request => kinds[n % kinds.length]!();
  const [manyEmpty, someEmpty] = [emptyMembers(29, 60_000), emptyMembers(4, 3_800)];
  const name = scrubbedName(token);
  const scrubbed = { headers: scrubbedHeaders(token) };
  return [
    requests(target, 'texts of many fragments', 4, (n) =>
      inTurn(
        n,
        () => graphql(dearTexts(n)),
        () => graphql(JSON.stringify({ query: dearText(n) })),
        () => asMember(dearTexts(n)),
      ),
    ),
    requests(target, 'empty members', 3, (n) =>
      inTurn(
        n,
        () => graphql(manyEmpty),
        () => asMember(someEmpty),
        () => asMember(manyEmpty),
      ),
    ),
    requests(target, 'strings for the log', 4, (n) =>
      inTurn(
        n,
        () => ({ ...graphql(name), ...scrubbed }),
        () => ({ ...asMember(name), ...scrubbed }),
        () => ({ path: '/hirers', token: 'eyJ-'.repeat(1_000), ...scrubbed }),
      ),
    ),
    held(target, 'bodies without end', 15, 400, async (n) => unfinished(n)),
    requests(target, 'refused requests', 200, (n) => FLOOD[n % FLOOD.length]!),
    held(target, 'slow readers', 10, 100, largeFile(target)),
    requests(
      target,
      'hanging queries',
      20,
      (n) => asMember(JSON.stringify({ query: `query Hang${n} { self { hirer { name } } }` })),
      150,
    ),
    requests(target, 'GET /hirers', 20, () => ({ path: '/hirers', ...member })),
    requests(target, 'refused partner token', 10, () =>
      asMember('{"documentId":"Event","variables":{"id":"drill:event:1"}}'),
    ),
    {
      ...held(target, 'event streams', 20, 300, async (n) => {
        const method = n % 4 === 0 ? 'HEAD' : 'GET';
        return `${method} /events/stream HTTP/1.1\r\nhost: bff\r\nauthorization: Bearer ${token}\r\n\r\n`;
      }),
      burst: 40,
    },
    requests(target, 'hostile JSON', 5, (n) =>
      n % 10 === 0
        ? { path: '/auth/token', body: UNKNOWN_MEMBERS[(n / 10) % UNKNOWN_MEMBERS.length]!, token }
        : asMember(hostileJson(n)),
    ),
    requests(
      target,
      'a machine without measure',
      60,
      (n) => ({ ...graphql(machineBody(n, hirer)), token: machine, hirer }),
      150,
    ),
    requests(target, 'events whose objects are large or hang', 2, (n) => eventsOf(n, hirer, webhookSecret)),
  ];
}

/** A registered operation, one that hangs, or what a machine may not send. */
function machineBody(n: number, hirer: string): string {
  const application = { documentId: 'Application', variables: { id: `hang ${hirer} ${n}` } };
  const kinds = [{ documentId: 'Hirer' }, application, [{ documentId: 'Hirer' }, { query: '{ version }' }]];
  return JSON.stringify(kinds[n % kinds.length]);
}

/** A signed webhook with an event of each kind of object. */
function eventsOf(n: number, hirer: string, secret: string): Request {
  const events = ['small', 'large', 'hang', 'small', 'other'].map((kind, place) => ({
    id: `drill:event:${n}-${place}`,
    type: 'CandidateApplicationCreated',
    createDateTime: new Date().toISOString(),
    hirerId: hirer,
    candidateApplicationProfileId: `${kind} ${kind === 'other' ? 'another' : hirer} ${n}`,
  }));
  const body = JSON.stringify({ subscriptionId: 'drill', events });
  const signature = createHmac('sha512', secret).update(body).digest('hex');
  return { path: '/webhooks', body, headers: { 'seek-signature': signature } };
}

/** Requests that are sent whole, and whose answers are read. */
function requests(
  { url }: Target,
  name: string,
  perSecond: number,
  requestOf: (n: number) => Request,
  inFlightMax = 20,
): Attack {
  const caller = new Caller(PATIENCE_MS, inFlightMax);
  const attempt: Attack['attempt'] = async (n, count) => {
    const { path, ...sent } = requestOf(n);
    await caller.send(url + path, sent).then(
      ({ status }) => count(String(status)),
      () => count('broken'),
    );
  };
  return { name, perSecond, inFlightMax, attempt };
}

/** Connections that are kept open for as long as the service lets them. */
function held(
  { url }: Target,
  name: string,
  perSecond: number,
  inFlightMax: number,
  headOf: (n: number) => Promise<string | Buffer>,
): Attack {
  const attempt: Attack['attempt'] = async (n, count) => hold(url, await headOf(n), count);
  return { name, perSecond, inFlightMax, attempt };
}

/**
 * Opens a connection, sends `head`, and then neither sends nor reads until the other side closes it, which it gives as
 * the status that came first, or `cut`.
 */
function hold(url: string, head: string | Buffer, onStatus: (status: string) => void): Promise<void> {
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

const PATHS = ['/graphql', '/auth/token', '/webhooks'] as const;
const part = Buffer.alloc(UNFINISHED_BYTES, ' ');

/** The head and the better part of a body, or not even the whole head. */
function unfinished(n: number): Buffer | string {
  const path = PATHS[n % PATHS.length]!;
  const head = `POST ${path} HTTP/1.1\r\nhost: bff\r\ncontent-type: application/json\r\n`;
  if (n % 4 === 0) return head;
  return Buffer.concat([Buffer.from(`${head}content-length: ${UNFINISHED_BYTES + 1}\r\n\r\n`), part]);
}

/** Asks for a large file; the link to it is asked for once. */
function largeFile({ url, token, hirer }: Target): () => Promise<string> {
  let link: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const body = JSON.stringify({ documentId: 'Application', variables: { id: `large ${hirer}` } });
    const { text } = await new Caller(PATIENCE_MS).send(`${url}/graphql`, { token, hirer, body });
    return /"(\/attachments\/[^"]+)"/.exec(text)?.[1] ?? '/attachments/none';
  };
  return async () => {
    const path = await (link ??= ask().catch(() => '/attachments/none'));
    return `GET ${path} HTTP/1.1\r\nhost: bff\r\nauthorization: Bearer ${token}\r\n\r\n`;
  };
}
