import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { call } from './support/call.js';
import { startStack, type Stack } from './support/start-stack.js';

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync('docs').map((name) => join('docs', name)),
].filter((page) => page.endsWith('.md'));

describe('the documents', () => {
  test.each(PAGES)('%s links to nothing that is missing', (page) => {
    const targets = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
      ([, target]) => target!,
    );
    expect(targets.filter((target) => !existsSync(join(dirname(page), target)))).toEqual([]);
  });

  test('every file that the threat model names as holding a defence exists', () => {
    const names = [...readFileSync('docs/threat-model.md', 'utf8').matchAll(/`((?:src|test)\/[^`]+)`/g)].map(
      ([, name]) => name!,
    );
    expect(names.filter((name) => !existsSync(name))).toEqual([]);
  });
});

describe('the exchanges in the README', () => {
  let stack: Stack;
  let token: string;
  beforeAll(async () => {
    stack = await startStack();
    token = await stack.playground.signIn('amelia');
  });
  afterAll(() => stack.close());

  const exchanges = [...readFileSync('README.md', 'utf8').matchAll(/```http\n(POST [^`]+)```/g)].map(
    ([, text]) => text!,
  );

  test.each(exchanges.map((text) => [text.split(' HTTP')[0]!, text]))(
    '%s is answered as written',
    async (_name, text) => {
      const [head, body] = text.trim().split('\n\n') as [string, string];
      const [requestLine, ...headerLines] = head.split('\n');
      const headers = Object.fromEntries(headerLines.map((line) => line.split(': ') as [string, string]));
      const answer = await call(stack.url + requestLine!.split(' ')[1]!, {
        method: 'POST',
        headers: { ...headers, Authorization: `Bearer ${token}` },
        body,
      });
      expect(answer.status).toBe(200);
      expect(answer.json.errors).toBeUndefined();
    },
  );

  test('the refusal is answered as written', async () => {
    const written = /HTTP\/1\.1 403[\s\S]*?\n\n(\{[\s\S]*?\})\n/.exec(readFileSync('README.md', 'utf8'))![1]!;
    const answer = await call(`${stack.url}/auth/token`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ hirerId: 'another:hirer', scope: 'query:organizations' }),
    });
    const { type, title, status, code, detail } = answer.json;
    expect(JSON.parse(written)).toMatchObject({ type, title, status, code });
    expect(detail.startsWith((JSON.parse(written) as { detail: string }).detail.replace(' …', ''))).toBe(
      true,
    );
  });
});
