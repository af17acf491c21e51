import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSchema, graphqlSync } from 'graphql';
import ts from 'typescript';
import { operationTypes, writeTypesTo } from '../../scripts/operation-types.js';
import { loadOperations } from '../../src/operations/registered-operations.js';
import { newFolder } from '../support/machine.js';
import { changeFields, useScriptedUpstream } from '../support/scripted-upstream.js';
import { runCommand } from '../support/start-process.js';

const PUBLIC_SCHEMA = 'playground/schema.graphql';
const SDL = readFileSync(PUBLIC_SCHEMA, 'utf8');

let folder: string;
beforeAll(() => {
  folder = newFolder();
});

const write = (file: string, content: string): string => {
  const path = join(folder, file);
  writeFileSync(path, content);
  return path;
};

const run = (args: readonly string[], environment: Record<string, string> = {}) =>
  runCommand(['operations', ...args], environment);

describe('check', () => {
  test('the shipped operations and the built-in queries have no fault in the public schema', async () => {
    const { code, out } = await run(['check', '--schema', PUBLIC_SCHEMA]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^\d{2} documents checked: 0 faults, 0 uses of/)]);
  });

  test('each fault is a sentence, and the exit code is 1; built-in queries and those of commands are checked too', async () => {
    const removed = ['positionTitle', 'endCursor', 'replayWebhookSubscription'];
    const changed = removed.reduce((sdl, name) => changeFields(sdl, name, 'remove'), SDL);
    const { code, out } = await run(['check', '--schema', write('drifted.graphql', changed)]);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^fault: \S*operations\/\S+\.graphql: Cannot query field "positionTitle" on type "\w+"\./m,
    );
    expect(out).toMatch(/^fault: reconciliation of events\b.* \(built in\): Cannot query field "endCursor"/m);
    expect(out).toMatch(/^fault: subscriptions, replay \(built in\): Cannot query field/m);
  });

  test('deprecated members are reported, and are not a fault', async () => {
    const schema = write('old.graphql', changeFields(SDL, 'contextualName', 'deprecate'));
    const { code, out } = await run(['check', '--schema', schema]);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^deprecated: .*The field Location\.contextualName is/m),
    ]);
  });

  test.each([
    ['no command', []],
    ['an unknown flag', ['check', '--shema', 'x']],
    ['no schema', ['check']],
    ['a file that is no schema', ['check', '--schema', 'package.json']],
    ['a folder that is not there', ['check', '--schema', PUBLIC_SCHEMA, '--operations', '/nowhere']],
    ['an address where nothing listens', ['check', '--schema', 'http://127.0.0.1:9/graphql']],
  ])('%s ends with exit code 2 and a sentence', async (_, args) => {
    const { code, err } = await run(args);
    expect([code, err]).toEqual([2, expect.stringMatching(/^\S.*[.\n]/)]);
    expect(err).not.toContain('    at ');
  });
});

test.each(['http://user:hunter2@127.0.0.1:1/graphql?key=hunter2', 'http://user:hunter2@:/'])(
  'credentials in an address that gives no schema are not printed: %s',
  async (address) => {
    const { code, out, err } = await run(['check', '--schema', address]);
    expect([code, out + err]).toEqual([2, expect.not.stringContaining('hunter2')]);
  },
);

describe('check of an endpoint', () => {
  const schema = buildSchema(SDL);
  const upstream = useScriptedUpstream();
  let credentials: Record<string, string>;
  const tokens = (): (string | undefined)[] => upstream.calls.map(({ token }) => token);
  beforeAll(() => {
    credentials = {
      UPSTREAM_URL: upstream.url,
      ISSUER_TOKEN_URL: `${upstream.url}/oauth/token`,
      PARTNER_CLIENT_ID: 'id',
      PARTNER_CLIENT_SECRET: 'secret',
    };
  });
  beforeEach(() => {
    upstream.reset();
    upstream.script = ({ query }) => JSON.stringify(graphqlSync({ schema, source: query }));
  });

  test('that of UPSTREAM_URL is asked with a partner token', async () => {
    expect((await run(['check'], credentials)).code).toBe(0);
    expect(tokens()).toEqual([expect.stringMatching(/^token-\d+$/)]);
  });

  test('any other is asked without', async () => {
    const { code } = await run(['check', '--schema', `${upstream.url}/graphql`], {
      ...credentials,
      UPSTREAM_URL: 'https://upstream.example',
    });
    expect([code, tokens()]).toEqual([0, [undefined]]);
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
      lib: ['lib.es2024.d.ts'],
      skipLibCheck: true,
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

  test('are written into a folder that does not exist yet', () => {
    const file = join(folder, 'not', 'there', 'operations.ts');
    writeTypesTo(file, 'export type A = string;\n\n');
    expect(readFileSync(file, 'utf8')).toBe('export type A = string;\n');
  });

  test('compile; a wrong variable is a type error, and one that the service sets may be left out', async () => {
    const compiled = [...loadOperations(['shipped']).all()].map((operation) => operation.compiled);
    const types = await operationTypes(buildSchema(SDL), compiled);
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
    expect(compile({ 'operations.ts': types, 'usage.ts': usage })).toEqual([]);
  });

  test('an operation that the schema refuses gives no types', async () => {
    const compiled = [...loadOperations(['shipped']).all()].map((operation) => operation.compiled);
    const types = operationTypes(buildSchema('type Query { version: String! }'), compiled);
    await expect(types).rejects.toThrow('Cannot query field');
  });
});
