import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { folderOf } from './support/machine.js';
import {
  asExpected,
  DOCUMENTED_EXCHANGES,
  DOCUMENTED_MESSAGES,
  EXCHANGES_HIRER,
  EXCHANGES_WEBHOOK_SECRET,
  ExchangeReader,
  type Exchange,
  describedFetch,
} from './support/documented.js';
import { startStack, type Stack } from './support/start-stack.js';
import { anEvent, sendWebhook } from './webhooks/send-webhook.js';

const PAGES = [
  'README.md',
  'client/README.md',
  'deploy/README.md',
  'examples/frontend/README.md',
  'examples/backend/README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...filesIn('docs', '.md'),
];

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

const textOf = (page: string): string => readFileSync(page, 'utf8');
const captured = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name]) => name!);

const FIRST_OPERATION = captured(textOf('docs/registered-operations.md'), /```graphql\n([^]*?)```/g)[0]!;

/** As GitHub makes them of headings. */
function anchorsIn(page: string): string[] {
  const text = textOf(page).replaceAll(/```[\s\S]*?```/g, '');
  return captured(text, /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What `npm pack` puts into a package; its bundle aside, which it makes first. */
function packedFiles(folder: string): string[] {
  const workspace = folder === '.' ? [] : ['--workspace', folder];
  const out = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', ...workspace], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [report] = Object.values(JSON.parse(out) as Record<string, { files: { path: string }[] }>);
  return report!.files.map(({ path }) => path);
}

test.each(['.', 'client', 'playground'])(
  'every page of the package of %s links to files that are packed',
  (folder) => {
    const files = packedFiles(folder);
    const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('bundle/'));
    expect(pages).toContain('README.md');
    expect(files.filter((file) => /^(?!bundle\/).*node_modules\//.test(file))).toEqual([]);
    const missing = pages.flatMap((page) =>
      captured(textOf(join(folder, page)), /\]\((?!https?:|#)([^)#]+)/g)
        .map((target) => join(dirname(page), target).replace(/\/$/, ''))
        .filter((target) => !files.some((file) => file === target || file.startsWith(`${target}/`)))
        .map((target) => `${page}: ${target}`),
    );
    expect(missing).toEqual([]);
  },
);

describe('the documents', () => {
  test.each(PAGES)('%s links to nothing that is missing', (page) => {
    const targets = [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target!);
    expect(targets.filter((target) => !existsSync(join(dirname(page), target)))).toEqual([]);
  });

  test.each(PAGES)('%s links to no heading that is missing', (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)];
    const missing = links.filter(([, target, anchor]) => {
      const file = target ? join(dirname(page), target) : page;
      return file.endsWith('.md') && !anchorsIn(file).includes(anchor!);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  test.each(PAGES)('%s names no path of the source that is missing', (page) => {
    const paths = captured(textOf(page), /`((?:src|test|playground\/src)\/[\w./-]+)`/g);
    const isThere = (path: string): boolean =>
      existsSync(dirname(path)) && readdirSync(dirname(path)).some((name) => name.startsWith(basename(path)));
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });
});

test('npm test with a path, as CONTRIBUTING.md has it, runs the suites of that path and no others', () => {
  const [command] = captured(textOf('CONTRIBUTING.md'), /^npm (test -- \S+)$/gm);
  const suites = execFileSync('npm', ['--silent', ...command!.split(' '), '--listTests'], {
    encoding: 'utf8',
  });
  expect(captured(suites, /^\/.*\/(.+)$/gm)).toEqual(['hirers.e2e.test.ts']);
});

describe('the exchanges in docs/routes.md and the script of the quickstart', () => {
  let stack: Stack;
  let reader: ExchangeReader;

  beforeAll(async () => {
    stack = await startStack({
      WEBHOOK_SECRETS: EXCHANGES_WEBHOOK_SECRET,
      OPERATIONS_DIR: `shipped,${folderOf({ 'ad-title.graphql': FIRST_OPERATION })}`,
    });
    reader = await ExchangeReader.signIn(stack.url, stack.playground, describedFetch());
  });
  afterAll(() => reader.close());

  test.each(DOCUMENTED_EXCHANGES.map((exchange) => [exchange.request.firstLine, exchange] as const))(
    '%s is answered as written, and as the OpenAPI document says',
    (_name, exchange) => reader.follow(exchange),
  );

  test('the script of docs/quickstart.md prints the hirers, the name of one, three of its ads, and an application with its files', async () => {
    const { positionProfileId } = stack.playground.seed.ad({ hirerId: EXCHANGES_HIRER });
    const { candidateApplicationProfileId } = stack.playground.seed.application({
      positionProfileId,
      name: 'Ana Silva',
      attachments: ['Resume.pdf'],
    });
    const script = captured(textOf('docs/quickstart.md'), /```js\n([^]*?)```/g)
      .join('')
      .replaceAll('http://127.0.0.1:3000', stack.url)
      .replaceAll('http://127.0.0.1:3010', stack.playground.upstreamUrl)
      .replaceAll('http://127.0.0.1:3011', stack.playground.issuerUrl);
    const run = promisify(execFile)('node', ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    run.child.stdout!.on('data', (data: string) => {
      const events = [anEvent({ candidateApplicationProfileId })];
      if (data.includes('Waiting')) void sendWebhook(stack.url, EXCHANGES_WEBHOOK_SECRET, events);
    });
    expect((await run).stdout).toMatch(
      /Banksia[^]*\nThe token is for Banksia Health Group\n(?:.+\n){3}Waiting.*\nAna Silva\napplication\/pdf \d+\n$/,
    );
  });

  test('the first operation of docs/registered-operations.md shows an ad of the hirer, and no other', async () => {
    const ask = async (ofOwn: boolean): Promise<unknown> => {
      const ads = [...stack.playground.world.positionProfiles.values()];
      const ad = ads.find(({ hirerId }) => (hirerId === EXCHANGES_HIRER) === ofOwn)!;
      const response = await reader.send({
        firstLine: 'POST /graphql HTTP/1.1',
        headers: { Authorization: '', 'X-Hirer-Id': EXCHANGES_HIRER, 'Content-Type': 'application/json' },
        body: JSON.stringify({ documentId: 'AdTitle', variables: { id: ad.id } }),
      });
      return response.json();
    };
    expect(await ask(true)).toMatchObject({
      data: { positionProfile: { positionTitle: expect.any(String) as string } },
    });
    expect(await ask(false)).toMatchObject({
      errors: [{ message: 'The object does not belong to this hirer.' }],
    });
  });

  test('the refusal is answered as written', async () => {
    const written = DOCUMENTED_MESSAGES.find(({ firstLine }) => firstLine.includes(' 403 '))!;
    const [{ request }] = DOCUMENTED_EXCHANGES as [Exchange];
    const response = await reader.send({
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
