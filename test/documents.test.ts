import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeHirers } from '../playground/src/data/hirers/hirers.js';
import { RELOADABLE } from '../src/config/secrets.js';
import { SETTINGS } from '../src/config/settings.js';
import {
  asExpected,
  DOCUMENTED_EXCHANGES,
  DOCUMENTED_MESSAGES,
  EXCHANGES_WEBHOOK_SECRET,
  ExchangeReader,
  type Exchange,
} from './support/documented-exchanges.js';
import { describedFetch } from './support/described-fetch.js';
import { startStack, type Stack } from './support/start-stack.js';

const PAGES = [
  'README.md',
  'client/README.md',
  'deploy/README.md',
  'examples/frontend/README.md',
  'examples/panels/README.md',
  'examples/backend/README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...filesIn('docs', '.md'),
];
const DECISIONS = readdirSync('docs/adr').filter((name) => name !== 'README.md');

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

const textOf = (page: string): string => readFileSync(page, 'utf8');
const captured = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name]) => name!);

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

  test('every file that the threat model names as holding a defence exists', () => {
    const names = [...textOf('docs/threat-model.md').matchAll(/`((?:src|test|client)\/[^`]+)`/g)].map(
      ([, name]) => name!,
    );
    expect(names.filter((name) => !existsSync(name))).toEqual([]);
  });

  test('every file and npm script that CONTRIBUTING names exists', () => {
    const text = textOf('CONTRIBUTING.md').replaceAll(/```[\s\S]*?```/g, '');
    const files = [
      ...text.matchAll(
        /`((?:src|playground|client|examples|test|docs|bench|scripts|deploy|\.githooks)\/[\w./-]+)`/g,
      ),
    ];
    expect(files.map(([, name]) => name!).filter((name) => !existsSync(name))).toEqual([]);
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const named = [...textOf('CONTRIBUTING.md').matchAll(/npm run ([\w:]+)/g)];
    expect(named.map(([, name]) => name!).filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('what the documents say of the code', () => {
  test('the commands of the README start the service and run the tests; CI runs the same ones', () => {
    const commands = [...textOf('README.md').matchAll(/^npm ci && npm (\w+)$/gm)].map(([, script]) => script);
    expect(commands).toEqual(['start', 'test']);
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    expect(scripts['check']).toMatch(/ npm test --$/);
    expect(textOf('.ci/run')).toMatch(/^npm run check /m);
  });

  test('the task for rotation names every secret: how it rotates, or that it needs a restart', () => {
    const [, task] = /### Rotate a secret\n(.*?)\n### /s.exec(textOf('docs/runbook.md'))!;
    const [rotating, restarting] = task!.split('read once').map((part) => [...part.matchAll(/`([A-Z_]+)`/g)]);
    const namesIn = (part: RegExpMatchArray[] = []) => new Set(part.map(([, name]) => name));
    expect([...namesIn(rotating)]).toEqual(expect.arrayContaining([...RELOADABLE]));
    const secrets = Object.entries(SETTINGS).flatMap(([name, { secret }]) => (secret ? [name] : []));
    const others = secrets.filter((name) => !RELOADABLE.some((reloadable) => reloadable === name));
    expect([...namesIn(restarting)]).toEqual(expect.arrayContaining(others));
  });

  test('the test that is run under the inspector exists', () => {
    const [, file, name] = /(test\/\S+) -t '([^']+)'/.exec(textOf('CONTRIBUTING.md'))!;
    expect(textOf(file!)).toContain(name);
  });

  test('the page on operations describes every member of an audit record, and every action', () => {
    const [, section] = /## Audit trail\n(.*?)\n## /s.exec(textOf('docs/ops.md'))!;
    const rows = [...section!.matchAll(/^\| (`.*?) +\| (.*)$/gm)];
    const named = (column: 1 | 2) => rows.flatMap((row) => captured(row[column]!, /`([\w.-]+)`/g));
    const [, type] = /interface AuditRecord \{(.*?)\n\}/s.exec(textOf('src/audit/audit-record.ts'))!;
    expect(named(1).sort()).toEqual(captured(type!, /^  readonly (\w+)/gm).sort());
    const code = filesIn('src', '.ts').map(textOf).join('\n');
    expect(named(2)).toEqual(expect.arrayContaining(captured(code, /action: '([a-z]+\.[a-z]+)'/g)));
  });

  test('the lock file is made from every workspace', () => {
    const { workspaces } = JSON.parse(textOf('package.json')) as { workspaces: string[] };
    const [, copied] = /\{(\S+)\}\/package\.json fresh/.exec(textOf('docs/dependencies.md')) ?? [];
    expect(copied?.split(',')).toEqual(workspaces);
  });

  test('who is who in the playground names every hirer', () => {
    const [paragraph] = /^Who is who: .+$/m.exec(textOf('docs/playground.md'))!;
    const missing = makeHirers().filter(({ name }) => !paragraph.includes(name.split(' ')[0]!));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test('the latest release that the changelog names is the version of the package', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    const [, latest = version] = /^## (?!Unreleased)(\S+)/m.exec(textOf('CHANGELOG.md')) ?? [];
    expect(latest).toBe(version);
  });

  test('no page names a script or a program of Nest that the package does not use', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const used = Object.values(scripts).join('\n');
    const named = PAGES.flatMap((page) => [...textOf(page).matchAll(/`(nest \w+)`/g)]);
    expect(named.map(([, command]) => command!).filter((command) => !used.includes(command))).toEqual([]);
  });
});

describe('the decisions', () => {
  test('have each a number of their own', () => {
    const numbers = DECISIONS.map((name) => name.slice(0, 4));
    expect(numbers).toEqual([...new Set(numbers)]);
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

describe('the exchanges in docs/routes.md', () => {
  let stack: Stack;
  let reader: ExchangeReader;

  beforeAll(async () => {
    stack = await startStack({ WEBHOOK_SECRETS: EXCHANGES_WEBHOOK_SECRET });
    reader = await ExchangeReader.signIn(stack.url, stack.playground, describedFetch('public'));
  });
  afterAll(async () => {
    reader.close();
    await stack.close();
  });

  test.each([
    'POST /auth/token',
    'GET /hirers',
    'POST /graphql',
    'GET /attachments',
    'POST /attachments/links',
    'POST /webhooks',
    'GET /events',
  ])('there is one for %s', (route) => {
    expect(DOCUMENTED_EXCHANGES.filter(({ request }) => request.firstLine.startsWith(route))).toHaveLength(1);
  });

  test.each(DOCUMENTED_EXCHANGES.map((exchange) => [exchange.request.firstLine, exchange] as const))(
    '%s is answered as written, and as the OpenAPI document says',
    (_name, exchange) => reader.follow(exchange),
  );

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
