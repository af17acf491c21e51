import { loadOperations } from '../../src/operations/registered-operations.js';
import { NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import { batch, request, type Bff } from '../src/client.js';
import { generatedDocuments, type GeneratedDocument } from './documents.js';
import { openPage } from './page.js';

interface Openings {
  readonly positionOpenings: { readonly edges: readonly object[] };
}

/** The ways in which a page sends a document by its name; `recipes.test.ts` has those of other clients. */
const WAYS: Readonly<Record<string, (bff: Bff, query: GeneratedDocument) => Promise<unknown>>> = {
  request: (bff, query) => request(bff, { query, variables: { first: 5 } }),
  batch: async (bff, query) => {
    const [result] = await batch(bff, [{ query, variables: { first: 5 } }]);
    if (result!.error) throw result!.error;
    return result!.data;
  },
};

let stack: Stack;
let documents: Readonly<Record<string, GeneratedDocument>>;
beforeAll(async () => {
  stack = await startStack();
  documents = await generatedDocuments();
});
afterAll(() => stack.close());

test('every generated document carries the name and the hash of its operation', () => {
  const operations = loadOperations(['shipped']);
  const names = [...operations.all()].map(({ compiled }) => compiled.name);
  expect(Object.keys(documents).sort()).toEqual(names.map((name) => `${name}Document`).sort());
  for (const [key, { documentId, __meta__ }] of Object.entries(documents)) {
    expect(`${documentId}Document`).toBe(key);
    expect(operations.find(`sha256:${__meta__.hash}`)?.compiled.name).toBe(documentId);
  }
});

test.each(Object.entries(WAYS))(
  '%s sends a generated document by its name, to the service',
  async (_way, ask) => {
    const bodies: unknown[] = [];
    const { bff, sent } = openPage(stack, {
      hirerId: NUSANTARA,
      fetch: (url, init) => {
        if ((url as string).startsWith(stack.url)) bodies.push(JSON.parse(init!.body as string));
        return fetch(url, init);
      },
    });
    const data = (await ask(bff, documents['PositionOpeningsDocument']!)) as Openings;
    expect(data.positionOpenings.edges.length).toBeGreaterThan(0);
    expect(bodies.flat()).toEqual([{ documentId: 'PositionOpenings', variables: { first: 5 } }]);
    expect([sent('/graphql'), sent('/auth/token')]).toEqual([1, 0]);
  },
);

test('a document without text or name is refused with what to do', async () => {
  const { definitions } = documents['PositionOpeningsDocument']!;
  const query = { kind: 'Document', definitions };
  await expect(request(openPage(stack).bff, { query })).rejects.toThrow(
    /without documentId: npm run operations -- types/,
  );
});
