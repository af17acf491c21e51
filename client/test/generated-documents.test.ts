import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import ts from 'typescript';
import { loadOperations } from '../../src/operations/registered-operations.js';
import { readSchema } from '../../src/operations/schema/read-schema.js';
import { operationTypes } from '../../src/ops/schema-check/operation-types.js';
import { NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import { createApolloClient } from '../src/apollo.js';
import { batch, request, type Bff } from '../src/client.js';
import { createGraphqlClient } from '../src/graphql-request.js';
import { createUrqlClient } from '../src/urql.js';
import { openPage } from './page.js';

interface Openings {
  readonly positionOpenings: { readonly edges: readonly { readonly cursor: string }[] };
}
type Document = TypedDocumentNode<Openings, { readonly first?: number; readonly after?: string }>;

/** Every way in which a page sends a document. */
const WAYS: Readonly<Record<string, (bff: Bff, query: Document) => Promise<Openings | undefined>>> = {
  request: (bff, query) => request(bff, { query, variables: { first: 5 } }),
  batch: async (bff, query) => {
    const [result] = await batch(bff, [{ query, variables: { first: 5 } }]);
    if (result!.error) throw result!.error;
    return result!.data as Openings;
  },
  'Apollo Client': async (bff, query) =>
    (await createApolloClient(bff).query({ query, variables: { first: 5 } })).data,
  'Apollo Client in batches': async (bff, query) =>
    (await createApolloClient(bff, { batchMax: 10 }).query({ query, variables: { first: 5 } })).data,
  urql: async (bff, query) => {
    const { data, error } = await createUrqlClient(bff).query(query, { first: 5 }).toPromise();
    if (error) throw error;
    return data;
  },
  'graphql-request': (bff, query) => createGraphqlClient(bff).request(query, { first: 5 }),
  'graphql-request with options': (bff, document) =>
    createGraphqlClient(bff).request({ document, variables: { first: 5 } }),
  'graphql-request in batches': async (bff, document) => {
    const [first] = await createGraphqlClient(bff).batchRequests([{ document, variables: { first: 5 } }]);
    return (first as { data: Openings }).data;
  },
};

let stack: Stack;
let documents: Readonly<Record<string, Document>>;
beforeAll(async () => {
  stack = await startStack();
  documents = await generate();
});
afterAll(() => stack.close());

/** The module that `npm run operations -- types` writes for the shipped operations. */
async function generate(): Promise<Record<string, Document>> {
  const compiled = [...loadOperations(['shipped']).all()].map((operation) => operation.compiled);
  const text = await operationTypes(readSchema(readFileSync('playground/schema.graphql', 'utf8')), compiled);
  const file = join(mkdtempSync(join(tmpdir(), 'documents-')), 'operations.mjs');
  writeFileSync(file, ts.transpile(text, { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }));
  return { ...((await import(file)) as Record<string, Document>) };
}

test('every generated document carries the name of its operation', () => {
  const names = [...loadOperations(['shipped']).all()].map(({ compiled }) => compiled.name);
  const carried = Object.entries(documents).map(([name, document]) => [name, documentIdIn(document)]);
  expect(carried.sort()).toEqual(names.map((name) => [`${name}Document`, name]).sort());
});

describe.each(Object.entries(WAYS))('%s', (_way, ask) => {
  test('sends a generated document by its name, to the service, and gets its data', async () => {
    const bodies: unknown[] = [];
    const { bff, sent } = openPage(stack, {
      hirerId: NUSANTARA,
      fetch: (url, init) => {
        if ((url as string).startsWith(stack.url)) bodies.push(JSON.parse(init!.body as string));
        return fetch(url, init);
      },
    });
    const data = await ask(bff, documents['PositionOpeningsDocument']!);
    expect(data?.positionOpenings.edges.length).toBeGreaterThan(0);
    expect(bodies.flat()).toEqual([{ documentId: 'PositionOpenings', variables: { first: 5 } }]);
    expect([sent('/graphql'), sent('/auth/token')]).toEqual([1, 0]);
  });
});

test('a document without text or name is refused with what to do', async () => {
  const { definitions } = documents['PositionOpeningsDocument']!;
  const query = { kind: 'Document', definitions } as Document;
  await expect(request(openPage(stack).bff, { query })).rejects.toThrow(
    /without documentId: npm run operations -- types/,
  );
});

function documentIdIn(document: object): unknown {
  return (document as { documentId?: unknown }).documentId;
}
