import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProxyStack, type ProxyStack } from './proxy-stack.js';

const MINE = 'query PositionOpenings { version }';
const sha256 = (text: string | Buffer): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const SHIPPED = sha256(readFileSync('operations/position-openings.graphql'));

let folder: string;
let stack: ProxyStack;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'operations-'));
  writeFileSync(join(folder, 'position-openings.graphql'), MINE);
  writeFileSync(join(folder, 'mine.graphql'), 'query Mine { version }');
});
afterEach(() => stack.close());

const ask = (documentId: string, variables = {}) => stack.ask({ documentId, variables });

test('one operation of the package is replaced by one file, under every identifier, and the log says so', async () => {
  stack = await startProxyStack({ OPERATIONS_DIR: `shipped, ${folder}` });
  for (const id of ['PositionOpenings', sha256(MINE), 'Mine']) {
    expect(Object.keys((await ask(id)).body.data)).toEqual(['version']);
  }
  expect((await ask(SHIPPED)).body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  expect(Object.keys((await ask('Hirer')).body.data)).toEqual(['hiringOrganization']);
  const line = stack
    .logText()
    .split('\n')
    .find((one) => one.includes('replaces'));
  expect(JSON.parse(line!)).toMatchObject({
    operation: 'PositionOpenings',
    source: join(folder, 'position-openings.graphql'),
    instead: expect.stringMatching(/operations\/position-openings\.graphql$/),
  });
});

test('the later one counts in the other order too', async () => {
  stack = await startProxyStack({ OPERATIONS_DIR: `${folder} shipped` });
  for (const id of ['PositionOpenings', SHIPPED]) {
    expect(Object.keys((await ask(id, { first: 1 })).body.data)).toEqual(['positionOpenings']);
  }
  expect((await ask(sha256(MINE))).body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  expect((await ask('Mine')).status).toBe(200);
});

test('a folder alone is all there is', async () => {
  stack = await startProxyStack({ OPERATIONS_DIR: folder });
  expect((await ask('Mine')).status).toBe(200);
  expect((await ask('Hirer')).body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
});
