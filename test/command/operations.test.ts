import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { buildSchema, graphqlSync, introspectionFromSchema } from 'graphql';
import ts from 'typescript';
import { startJsonServer, type JsonServer } from '../support/json-server.js';
import { changeFields } from '../support/public-upstream.js';
import { builtService, COMPILE_CACHE } from '../support/start-process.js';

const PUBLIC_SCHEMA = 'playground/schema.graphql';
const SDL = readFileSync(PUBLIC_SCHEMA, 'utf8');
const BUILT_IN = 11;
const BUILD = builtService();
const PROGRAM = 'bundle/main.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'operations-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const write = (file: string, content: string): string => {
  const path = join(folder, file);
  writeFileSync(path, content);
  return path;
};

/** Runs the program, which reads nothing but these variables. */
async function run(args: readonly string[], env: Record<string, string> = {}, build = BUILD, cwd = '.') {
  const child = spawn(resolve('node_modules/.bin/node'), [join(build, PROGRAM), 'operations', ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { out: '', error: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.error += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, ...texts };
}

describe('check', () => {
  test('the shipped operations and the built-in queries have no fault in the public schema', async () => {
    const { status, out } = await run(['check', '--schema', PUBLIC_SCHEMA]);
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/^\d{2} documents checked: 0 faults, 0 uses of/),
    ]);
  });

  test('the shipped operations are those of the package, whatever the working directory', async () => {
    const { status, out } = await run(['check', '--schema', resolve(PUBLIC_SCHEMA)], {}, BUILD, folder);
    expect([status, out]).toEqual([0, expect.stringMatching(/^\d{2} documents checked: 0 faults/)]);
  });

  test('each fault is a sentence, and the exit code is 1; built-in queries are checked too', async () => {
    const renamed = changeFields(changeFields(SDL, 'positionTitle', 'remove'), 'endCursor', 'remove');
    const { status, out } = await run(['check', '--schema', write('drifted.graphql', renamed)]);
    expect(status).toBe(1);
    expect(out).toMatch(
      /^fault: \S*operations\/\S+\.graphql: Cannot query field "positionTitle" on type "\w+"\./m,
    );
    expect(out).toMatch(/^fault: reconciliation of events\b.* \(built in\): Cannot query field "endCursor"/m);
  });

  test('what the command for subscriptions sends is checked too', async () => {
    const changed = changeFields(SDL, 'replayWebhookSubscription', 'remove');
    const { status, out } = await run(['check', '--schema', write('no-replay.graphql', changed)]);
    expect([status, out]).toEqual([
      1,
      expect.stringMatching(/^fault: subscriptions, replay \(built in\): Cannot query field/m),
    ]);
  });

  test('what is deprecated is told, and is no fault', async () => {
    const schema = write('old.graphql', changeFields(SDL, 'contextualName', 'deprecate'));
    const { status, out } = await run(['check', '--schema', schema]);
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/^deprecated: .*The field Location\.contextualName is/m),
    ]);
  });

  test('the folders are those of the setting, and of --operations', async () => {
    const own = mkdtempSync(join(folder, 'own-'));
    writeFileSync(join(own, 'a.graphql'), 'query Mine { missing }');
    const check = ['check', '--schema', PUBLIC_SCHEMA];
    const shipped = await run(check);
    const replaced = mkdtempSync(join(folder, 'replaced-'));
    writeFileSync(join(replaced, 'a.graphql'), 'query Currencies { version }');
    for (const [args, environment] of [
      [check, { OPERATIONS_DIR: own }],
      [[...check, '--operations', own], { OPERATIONS_DIR: '/nowhere' }],
      [[...check, '--operations', `shipped,${own}`], {}],
      [check, { OPERATIONS_DIR: `${own} shipped` }],
    ] as const) {
      const { out } = await run(args, environment);
      expect(out).toContain('Cannot query field "missing" on type "Query".');
      expect(Number(/^(\d+) documents/m.exec(out)![1])).toBe(
        Object.values(environment).concat(args).join().includes('shipped')
          ? Number(/^(\d+)/.exec(shipped.out)![1]) + 1
          : 1 + BUILT_IN,
      );
    }
    const { out } = await run([...check, '--operations', `shipped ${replaced}`]);
    expect(out).toBe(shipped.out);
  });

  test.each([
    ['no command', []],
    ['an unknown flag', ['check', '--shema', 'x']],
    ['no schema', ['check']],
    ['a file that is no schema', ['check', '--schema', 'package.json']],
    ['a folder that is not there', ['check', '--schema', PUBLIC_SCHEMA, '--operations', '/nowhere']],
    ['an address where nothing listens', ['check', '--schema', 'http://127.0.0.1:9/graphql']],
  ])('%s ends with exit code 2 and a sentence', async (_, args) => {
    const { status, error } = await run(args);
    expect([status, error]).toEqual([2, expect.stringMatching(/^\S.*[.\n]/)]);
    expect(error).not.toContain('    at ');
  });
});

test.each(['http://user:hunter2@127.0.0.1:1/graphql?key=hunter2', 'http://user:hunter2@:/'])(
  'credentials in an address that gives no schema are not printed: %s',
  async (address) => {
    const { status, out, error } = await run(['check', '--schema', address]);
    expect([status, out + error]).toEqual([2, expect.not.stringContaining('hunter2')]);
  },
);

describe('check of an endpoint', () => {
  const schema = buildSchema(SDL);
  let upstream: JsonServer;
  let credentials: Record<string, string>;
  let tokens: (string | undefined)[];
  let knowsInputDeprecation: boolean;
  beforeAll(async () => {
    upstream = await startJsonServer((call, response) => {
      if (call.url === '/oauth/token') {
        const token = { access_token: 'partner-token', expires_in: 60, token_type: 'Bearer' };
        return void response.writeHead(200).end(JSON.stringify(token));
      }
      tokens.push(call.headers.authorization);
      const { query } = JSON.parse(call.body) as { query: string };
      const refused = !knowsInputDeprecation && query.includes('inputFields(includeDeprecated');
      const answer = refused
        ? { errors: [{ message: 'unknown argument' }] }
        : graphqlSync({ schema, source: query });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    credentials = {
      UPSTREAM_URL: upstream.url.origin,
      ISSUER_TOKEN_URL: `${upstream.url.origin}/oauth/token`,
      PARTNER_CLIENT_ID: 'id',
      PARTNER_CLIENT_SECRET: 'secret',
    };
  });
  beforeEach(() => {
    tokens = [];
    knowsInputDeprecation = true;
  });
  afterAll(() => upstream.close());

  test('that of UPSTREAM_URL is asked with a partner token', async () => {
    expect((await run(['check'], credentials)).status).toBe(0);
    expect(tokens).toEqual(['Bearer partner-token']);
  });

  test('any other is asked without', async () => {
    const { status } = await run(['check', '--schema', `${upstream.url.origin}/graphql`], {
      ...credentials,
      UPSTREAM_URL: 'https://upstream.example',
    });
    expect([status, tokens]).toEqual([0, [undefined]]);
  });

  test('an endpoint that cannot list deprecated arguments is asked again without them', async () => {
    knowsInputDeprecation = false;
    expect((await run(['check'], credentials)).status).toBe(0);
    expect(tokens).toHaveLength(2);
  });
});

describe('types', () => {
  /** The compiler's report on files beside the generated `operations.ts`. */
  const compile = (sources: Record<string, string>): string[] => {
    const files = new Map(Object.entries(sources).map(([name, text]) => [resolve(name), text]));
    const options = {
      strict: true,
      noEmit: true,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2024,
      types: [],
    };
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile, getSourceFile } = host;
    host.fileExists = (file) => files.has(file) || fileExists(file);
    host.readFile = (file) => files.get(file) ?? readFile(file);
    host.getSourceFile = (file, version, ...rest) =>
      files.has(file)
        ? ts.createSourceFile(file, files.get(file)!, version)
        : getSourceFile(file, version, ...rest);
    const program = ts.createProgram([...files.keys()], options, host);
    return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start }) => {
      const line = file ? file.getLineAndCharacterOfPosition(start ?? 0).line + 1 : 0;
      return `${file?.fileName}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  };

  test('compile with the documented example; a wrong variable is a type error, and one that the service sets may be left out', async () => {
    const out = join(folder, 'operations.ts');
    const made = await run(['types', '--schema', PUBLIC_SCHEMA, '--out', out]);
    expect(made).toEqual({ status: 0, out: '', error: '' });
    const usage = `
      import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
      import { EventDocument, PositionOpeningDocument, PositionOpeningsDocument } from './operations.js';
      declare function ask<D, V>(document: TypedDocumentNode<D, V>, variables: NoInfer<V>): D;
      export const title: string | undefined = ask(PositionOpeningDocument, { id: 'x' }).positionOpening?.postingRequester.name;
      export const openings = ask(PositionOpeningsDocument, { first: 5 }).positionOpenings.edges;
      export const event = ask(EventDocument, { id: 'x' }).event;
      if (event?.__typename === 'PositionProfileClosedEvent') event.positionProfileId satisfies string;
      // @ts-expect-error a number is no id
      ask(PositionOpeningDocument, { id: 7 });
      // @ts-expect-error a required variable is missing
      ask(PositionOpeningDocument, {});
      // @ts-expect-error an unknown variable
      ask(PositionOpeningDocument, { id: 'x', hirer: 'x' });
      // @ts-expect-error a member that is not selected
      ask(PositionOpeningDocument, { id: 'x' }).positionOpening?.seekPartnerMetadata;
    `;
    const example = /```ts\n([\s\S]+?)```/.exec(readFileSync('docs/registered-operations.md', 'utf8'))![1]!;
    expect(example).toContain('PositionOpeningDocument');
    const sources = { 'operations.ts': readFileSync(out, 'utf8'), 'usage.ts': usage, 'example.ts': example };
    expect(compile(sources)).toEqual([]);
  });

  test('an operation that the schema refuses gives no types', async () => {
    const schema = introspectionFromSchema(buildSchema('type Query { version: String! }'));
    const { status, out } = await run(['types', '--schema', write('small.json', JSON.stringify(schema))]);
    expect([status, out]).toEqual([2, '']);
  });

  test('without the development dependencies it says what to do, and check works', async () => {
    const bare = mkdtempSync(join(folder, 'production-'));
    const build = join(bare, 'dist');
    cpSync(BUILD, build, { recursive: true });
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
    for (const name of Object.keys(dependencies)) {
      const link = join(bare, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(realpathSync(join('node_modules', name)), link);
    }
    const types = await run(['types', '--schema', PUBLIC_SCHEMA], {}, build);
    expect([types.status, types.error]).toEqual([
      2,
      'types needs the development dependencies: run it in a clone, after "npm ci".\n',
    ]);
    expect((await run(['check', '--schema', PUBLIC_SCHEMA], {}, build)).status).toBe(0);
  });
});
