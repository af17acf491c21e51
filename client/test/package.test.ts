import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { openProject, sentBytes, type Project } from './project.js';

jest.setTimeout(60_000); // a compiler and a bundler on a busy machine

const CORE_BYTES_MAX = 5_000;
const ENTRIES = Object.keys(
  (JSON.parse(readFileSync('client/package.json', 'utf8')) as { exports: object }).exports,
).map((name) => name.replace('.', 'partner-bff-client'));

let project: Project;
beforeAll(async () => {
  project = await openProject();
}, 180_000); // npm and a compiler, one after another

describe('the packed package, installed in an empty Vite project', () => {
  test('has a core of less than 5 kB, minified and compressed', async () => {
    expect(sentBytes(await project.bundle("export * from 'partner-bff-client'"))).toBeLessThan(
      CORE_BYTES_MAX,
    );
  });

  test('adds nothing to a bundle that is not used', async () => {
    const tokens = await project.bundle("export { Bff } from 'partner-bff-client'");
    expect(tokens).toContain('/auth/token');
    expect(tokens).not.toMatch(/X-Hirer-Id|"\/hirers|hasNextPage/);
    const imports = ENTRIES.map((name) => `import '${name}';`).join('');
    const unused = await project.bundle(`${imports} export const used = 1;`);
    expect(unused).not.toMatch(/partner-bff|\/auth\/token|BffError/);
  });

  test('has types: the answer is that of the document, and a wrong variable does not compile', async () => {
    const head = `
      import { Bff, request, type TypedText } from 'partner-bff-client';
      import { apolloOptions } from 'partner-bff-client/apollo';
      import { createUrqlClient } from 'partner-bff-client/urql';
      import { createGraphqlClient } from 'partner-bff-client/graphql-request';
      import { useHirers } from 'partner-bff-client/react';
      import { streamEvents } from 'partner-bff-client/events';
      import { downloadAttachment } from 'partner-bff-client/attachments';
      import { shareTokens } from 'partner-bff-client/tabs';
      import { Panel } from 'partner-bff-client/panels';
      import { graphqlFetch } from 'partner-bff-client/fetch';
      export { apolloOptions, createUrqlClient, createGraphqlClient, useHirers, streamEvents, downloadAttachment, shareTokens, Panel, graphqlFetch };
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

  test('holds what was compiled, its documents and nothing else', () => {
    const installed = join(project.folder, 'node_modules', 'partner-bff-client');
    expect(readdirSync(installed).sort()).toEqual(['API.md', 'README.md', 'dist', 'package.json']);
    const compiled = readdirSync('client/src').flatMap((name) => {
      const base = name.replace(/\.ts$/, '');
      return [`${base}.d.ts`, `${base}.js`];
    });
    expect(readdirSync(join(installed, 'dist')).sort()).toEqual(compiled.sort());
  });
});
