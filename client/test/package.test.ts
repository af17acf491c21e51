import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { EVENT_TYPES } from '../../playground/src/data/records.js';
import { openProject, sentBytes, type Project } from './project.js';

jest.setTimeout(60_000); // a compiler and a bundler on a busy machine

const CORE_BYTES_MAX = 4_500;
const ENTRIES = Object.keys(
  (JSON.parse(readFileSync('client/package.json', 'utf8')) as { exports: object }).exports,
).map((name) => name.replace('.', 'partner-bff-client'));
/** Those that run in a browser. */
const PAGE_ENTRIES = ENTRIES.filter((name) => name !== 'partner-bff-client/server');

/** APIs that the oldest browser of the README, or Node 20.3, does not have, though the compiler knows them. */
const TOO_NEW =
  /Promise\.(try|withResolvers)|(Map|Object)\.groupBy|Array\.fromAsync|RegExp\.escape|Iterator\.|ReadableStream\.from|\.toSorted\(|\.toReversed\(|\.isSubsetOf\(|Symbol\.(asyncD|d)ispose/;

/** Of a project that has the package alone: a scripted service, and both of the package's sides. */
const PARTNER_TEST = `
import { Bff } from 'partner-bff-client';
import { verifyDelivery } from 'partner-bff-client/server';

test('a token is asked for once, and nothing unsigned is a delivery', async () => {
  const asked = [];
  const bff = new Bff({
    url: 'https://bff.partner.example',
    hirerId: 'a',
    scope: 'query:ontologies',
    getUserToken: () => 'user',
    fetch: async (url) => {
      asked.push(url);
      return Response.json({ access_token: 'token', expires_in: 60, token_type: 'Bearer' });
    },
  });
  expect([await bff.getAuthToken(), await bff.getAuthToken()]).toEqual(['token', 'token']);
  expect(asked).toEqual(['https://bff.partner.example/auth/token']);
  expect(() => verifyDelivery({ headers: {}, body: Buffer.from('{}') }, 'whsec_c2VjcmV0')).toThrow();
});
`;

let project: Project;
beforeAll(async () => {
  project = await openProject();
}, 180_000); // npm and a compiler, one after another

describe('the packed package, installed in an empty Vite project', () => {
  test('has a core of less than 4.5 kB, minified and compressed', async () => {
    expect(sentBytes(await project.bundle("export * from 'partner-bff-client'"))).toBeLessThan(
      CORE_BYTES_MAX,
    );
  });

  test('adds nothing to a bundle that is not used', async () => {
    const tokens = await project.bundle("export { Bff } from 'partner-bff-client'");
    expect(tokens).toContain('/auth/token');
    expect(tokens).not.toMatch(/X-Hirer-Id|"\/hirers|hasNextPage/);
    const imports = PAGE_ENTRIES.map((name) => `import '${name}';`).join('');
    const unused = await project.bundle(`${imports} export const used = 1;`);
    expect(unused).not.toMatch(/partner-bff|\/auth\/token|BffError/);
  });

  test('has types: the answer is that of the document, and a wrong variable does not compile', async () => {
    const head = `
      import { Bff, request } from 'partner-bff-client';
      import { useHirerClient } from 'partner-bff-client/react';
      import { streamEvents } from 'partner-bff-client/events';
      import { downloadAttachment } from 'partner-bff-client/attachments';
      import { panelProps } from 'partner-bff-client/panels';
      import { graphqlFetch } from 'partner-bff-client/fetch';
      export { useHirerClient, streamEvents, downloadAttachment, panelProps, graphqlFetch };
      interface TypedText<Data, Variables> { __apiType?(variables: Variables): Data }
      declare const NAME: TypedText<{ hiringOrganization: { name: string } }, { id: string }>;
      const bff = new Bff({ url: '', getUserToken: () => 'token' });
    `;
    const call = (variables: string): string =>
      `${head} export const name: string = (await request(bff, { query: NAME, variables: ${variables} })).hiringOrganization.name;`;
    expect(await project.check(call("{ id: 'a' }"))).toBe('');
    expect(await project.check(call('{ id: 1 }'))).toContain(
      "Type 'number' is not assignable to type 'string'",
    );
  });

  test('has types of the known codes, reasons and events, which stay open for new ones', async () => {
    const graphql = new Set(Object.values(ERROR_CODES).map(({ graphqlCode }) => graphqlCode));
    const reasons = Object.keys(ERROR_CODES);
    const codes = [...graphql, 'NETWORK_ERROR', 'SESSION_ENDED', 'NOT_SUPPORTED'];
    const list = (names: Iterable<string>): string => JSON.stringify([...names]);
    const module = (code: string): string => `
      import type { BffError } from 'partner-bff-client';
      import type { BffEvent } from 'partner-bff-client/events';
      type Known<Text> = Text extends string ? (string extends Text ? never : Text) : never;
      export const codes: Known<BffError['code']>[] = ${list([...codes, code])};
      export const reasons: Known<BffError['reason']>[] = ${list([...reasons, 'hirer_switched', 'signed_out'])};
      export const events: Known<BffEvent['type']>[] = ${list(EVENT_TYPES)};
      export const later: [BffError['code'], BffError['reason'], BffEvent['type']] = ['NEW', 'new', 'New'];
    `;
    expect(await project.check(module('FORBIDDEN'))).toBe('');
    expect(await project.check(module('FORBIDEN'))).toContain('"FORBIDEN"');
  });

  test('has types of deliveries, which `type` tells apart', async () => {
    const module = (code: string): string => `
      import { verifyDelivery, MachineClient, clientCredentials, type Delivery } from 'partner-bff-client/server';
      export { verifyDelivery, MachineClient, clientCredentials };
      export function idOf(delivery: Delivery): string | undefined {
        switch (delivery.type) {
          case 'CandidateApplicationCreated': return ${code};
          case 'PositionProfilePosted': return delivery.data.positionProfileId;
          default: return delivery.data.id ?? String(delivery.type);
        }
      }
    `;
    expect(await project.check(module('delivery.data.candidateId'))).toBe('');
    expect(await project.check(module('delivery.data.positionProfileId'))).toContain(
      "'positionProfileId' does not exist",
    );
  });

  test.each([
    ['Jest', ['jest/bin/jest.js', '--rootDir'], '', '--experimental-vm-modules'],
    ['Vitest', ['vitest/vitest.mjs', 'run', '--root'], "import { expect, test } from 'vitest';", ''],
  ] as const)('runs in a test of a partner under %s', async (runner, [program, ...args], head, options) => {
    const folder = join(project.folder, runner);
    mkdirSync(folder);
    writeFileSync(join(folder, 'own.test.js'), `${head}${PARTNER_TEST}`);
    writeFileSync(join(folder, 'jest.config.js'), 'export default {};');
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [resolve('node_modules', program), ...args, folder],
      { cwd: folder, env: { PATH: process.env['PATH'], NO_COLOR: '1', NODE_OPTIONS: options } },
    );
    expect(stdout + stderr).toMatch(/Tests:? +1 passed/);
  });

  test('is a client module for React, where it has hooks', () => {
    expect(compiledText('react.js')).toMatch(/^'use client';|^"use client";/);
  });

  test('uses nothing that its oldest browsers and Node lack', () => {
    const readme = readFileSync('client/README.md', 'utf8');
    expect(readme).toMatch(/Chrome and Edge 116, Firefox 124, Safari 17\.4 and Node 20\.3\b/);
    const { engines } = JSON.parse(readFileSync('client/package.json', 'utf8')) as { engines: object };
    expect(engines).toEqual({ node: '>=20.3' });
    const { lib, target } = (
      JSON.parse(readFileSync('client/tsconfig.json', 'utf8').replace(/^\/\/.*/, '')) as Config
    ).compilerOptions;
    expect({ lib, target }).toEqual({ lib: ['ES2022', 'DOM', 'DOM.Iterable'], target: 'ES2022' });
    const scripts = sources().map((name) => compiledText(`${name}.js`));
    expect(scripts.filter((script) => TOO_NEW.test(script))).toEqual([]);
  });

  test('holds what was compiled, its documents and nothing else', () => {
    const installed = join(project.folder, 'node_modules', 'partner-bff-client');
    expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const compiled = sources().flatMap((name) => [`${name}.d.ts`, `${name}.js`]);
    expect(filesOf(join(installed, 'dist')).sort()).toEqual(compiled.sort());
    expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(readFileSync('LICENSE', 'utf8'));
  });
});

interface Config {
  readonly compilerOptions: { readonly lib: readonly string[]; readonly target: string };
}

/** The names of the sources, without their ending. */
function sources(): string[] {
  return filesOf('client/src').map((name) => name.replace(/\.ts$/, ''));
}

function filesOf(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}

/** A script of the installed package. */
function compiledText(name: string): string {
  return readFileSync(join(project.folder, 'node_modules', 'partner-bff-client', 'dist', name), 'utf8');
}
