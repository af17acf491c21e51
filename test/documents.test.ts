import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startStack, type Stack } from './support/start-stack.js';
import { anEvent, sendWebhook, signWebhook } from './webhooks/send-webhook.js';

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...pagesIn('docs')];
const DECISIONS = readdirSync('docs/adr').filter((name) => name !== 'README.md');

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

const textOf = (page: string): string => readFileSync(page, 'utf8');

describe('the documents', () => {
  test.each(PAGES)('%s links to nothing that is missing', (page) => {
    const targets = [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target!);
    expect(targets.filter((target) => !existsSync(join(dirname(page), target)))).toEqual([]);
  });

  test('every file that the threat model names as holding a defence exists', () => {
    const names = [...textOf('docs/threat-model.md').matchAll(/`((?:src|test)\/[^`]+)`/g)].map(
      ([, name]) => name!,
    );
    expect(names.filter((name) => !existsSync(name))).toEqual([]);
  });

  test('every file and npm script that CONTRIBUTING names exists', () => {
    const text = textOf('CONTRIBUTING.md').replaceAll(/```[\s\S]*?```/g, '');
    const files = [
      ...text.matchAll(/`((?:src|playground|test|docs|bench|scripts|deploy|\.githooks)\/[\w./-]+)`/g),
    ];
    expect(files.map(([, name]) => name!).filter((name) => !existsSync(name))).toEqual([]);
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const named = [...textOf('CONTRIBUTING.md').matchAll(/npm run ([\w:]+)/g)];
    expect(named.map(([, name]) => name!).filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('the decisions', () => {
  test('are numbered without gaps', () => {
    expect(DECISIONS.map((name) => Number(name.slice(0, 4)))).toEqual(DECISIONS.map((_, index) => index + 1));
  });

  test.each(DECISIONS)('%s has the form of all and is in the index', (name) => {
    const text = textOf(`docs/adr/${name}`);
    const title = new RegExp(`^# ${name.slice(0, 4)}: (.+)\n`).exec(text)?.[1];
    expect(title).toEqual(expect.any(String));
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
      'Status',
      'Context',
      'Decision',
      'Consequences',
    ]);
    expect(textOf('docs/adr/README.md')).toMatch(new RegExp(`\\(${name}\\)\\s*\\| ${title}\\s*\\|`));
  });

  test('named elsewhere exist', () => {
    const numbers = DECISIONS.map((name) => name.slice(0, 4));
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join('src', name));
    const named = [...sources, ...PAGES].flatMap((file) => [...textOf(file).matchAll(/ADR (\d+)/g)]);
    expect(named.map(([, number]) => number!).filter((number) => !numbers.includes(number))).toEqual([]);
  });
});

const WEBHOOK_SECRET = 'a-secret-of-the-document-test';
const APPLICATION_HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';

/** A request of the README and the answer it is said to get. */
interface Exchange {
  readonly request: Message;
  readonly answer: Message;
}

interface Message {
  readonly firstLine: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function readMessage(text: string): Message {
  const [head = '', ...rest] = text.trim().split('\n\n');
  const [firstLine = '', ...lines] = head.split('\n');
  const headers = lines.map((line) => [line.split(': ')[0]!, line.slice(line.indexOf(': ') + 2)]);
  return { firstLine, headers: Object.fromEntries(headers), body: rest.join('\n\n') };
}

/** The http blocks of the README: each request is followed by its answer, some answers by a refusal. */
const messages = [...textOf('README.md').matchAll(/```http\n([^`]+)```/g)].map(([, text]) =>
  readMessage(text!),
);
const isAnswer = ({ firstLine }: Message): boolean => firstLine.startsWith('HTTP/');
const exchanges: readonly Exchange[] = messages.flatMap((request, index) =>
  isAnswer(request) ? [] : [{ request, answer: messages[index + 1]! }],
);

/** What a written value stands for: `…` for any text or object, a text that ends in it for its beginning. */
function asExpected(written: unknown): unknown {
  if (written === '…') return expect.anything();
  if (typeof written === 'number') return written < 400 ? written : expect.any(Number);
  if (typeof written === 'string') {
    return written.endsWith(' …') ? startingWith(written.slice(0, -2)) : written;
  }
  if (Array.isArray(written)) return expect.arrayContaining(written.map(asExpected));
  const members = Object.entries(written as object).map(([name, value]) => [name, asExpected(value)]);
  return expect.objectContaining(Object.fromEntries(members));
}

function startingWith(beginning: string): unknown {
  return expect.stringMatching(new RegExp(`^${beginning.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
}

describe('the exchanges in the README', () => {
  let stack: Stack;
  let token: string;
  let attachment: string;
  const abort = new AbortController();

  beforeAll(async () => {
    stack = await startStack({ WEBHOOK_SECRETS: WEBHOOK_SECRET });
    token = await stack.playground.signIn('amelia');
    attachment = await linkOfAnAttachment();
  });
  afterAll(async () => {
    abort.abort();
    await stack.close();
  });

  async function linkOfAnAttachment(): Promise<string> {
    const { candidateProfiles, attachments } = stack.playground.world;
    const withFile = new Set([...attachments.values()].map(({ profileId }) => profileId));
    const profile = [...candidateProfiles.values()].find(
      ({ id, hirerId, positionProfileId }) =>
        hirerId === APPLICATION_HIRER && positionProfileId !== null && withFile.has(id),
    )!;
    const response = await send({
      firstLine: 'POST /graphql HTTP/1.1',
      headers: { Authorization: '', 'X-Hirer-Id': APPLICATION_HIRER, 'Content-Type': 'application/json' },
      body: JSON.stringify({ documentId: 'Application', variables: { id: profile.id } }),
    });
    const { data } = (await response.json()) as {
      data: { candidateProfile: { attachments: { url: string }[] } };
    };
    return data.candidateProfile.attachments[0]!.url;
  }

  /** Sends a request as written, with what the README leaves to its reader put in. */
  function send({ firstLine, headers, body }: Message): Promise<Response> {
    const [method = '', path = ''] = firstLine.split(/ (?:HTTP.*)?/);
    return fetch(stack.url + path.replace(/^\/attachments\/.*/, () => attachment), {
      method,
      signal: abort.signal,
      headers: {
        ...headers,
        ...('Authorization' in headers && { Authorization: `Bearer ${token}` }),
        ...('Seek-Signature' in headers && { 'Seek-Signature': signWebhook(body, WEBHOOK_SECRET) }),
      },
      ...(body && { body }),
    });
  }

  test.each([
    'POST /auth/token',
    'GET /hirers',
    'POST /graphql',
    'GET /attachments',
    'POST /webhooks',
    'GET /events',
  ])('there is one for %s', (route) => {
    expect(exchanges.filter(({ request }) => request.firstLine.startsWith(route))).toHaveLength(1);
  });

  test.each(exchanges.map((exchange) => [exchange.request.firstLine, exchange] as const))(
    '%s is answered as written',
    async (_name, { request, answer }) => {
      const response = await send(request);
      expect(response.status).toBe(Number(answer.firstLine.split(' ')[1]));
      for (const [name, value] of Object.entries(answer.headers)) {
        expect([name, response.headers.get(name)]).toEqual([name, asExpected(value)]);
      }
      if (answer.headers['Content-Type'] === 'text/event-stream') return expectEvent(response, answer.body);
      const text = await response.text();
      if (answer.body) expect(JSON.parse(text)).toEqual(asExpected(JSON.parse(answer.body)));
      expect(text).not.toContain('"errors"');
    },
  );

  /** Sends an event of the written type while the stream is open. */
  async function expectEvent(response: Response, written: string): Promise<void> {
    const event = JSON.parse(/^data: (.*)/m.exec(written)![1]!) as { type: string };
    const sent = anEvent({ type: event.type });
    await sendWebhook(stack.url, WEBHOOK_SECRET, [sent]);
    let text = '';
    for await (const chunk of response.body!) {
      text += Buffer.from(chunk as Uint8Array).toString();
      if (/^data: .*\n\n/m.test(text)) break;
    }
    const [, id, data] = /^id: (.*)\ndata: (.*)\n\n/m.exec(text)!;
    expect(id).toBe(sent['id']);
    expect(JSON.parse(data!)).toEqual(asExpected(event));
  }

  test('the refusal is answered as written', async () => {
    const written = messages.find(({ firstLine }) => firstLine.includes(' 403 '))!;
    const [{ request }] = exchanges as [Exchange];
    const response = await send({
      ...request,
      body: '{"hirerId": "another:hirer", "scope": "query:organizations"}',
    });
    expect(response.status).toBe(403);
    expect(response.headers.get('content-type')).toBe(written.headers['Content-Type']);
    expect(await response.json()).toEqual(
      asExpected({ ...(JSON.parse(written.body) as object), status: 403 }),
    );
  });
});
