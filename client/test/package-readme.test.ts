import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from '../../test/support/machine.js';
import { useStack } from '../../test/support/start-stack.js';
import { anEvent, sendWebhook } from '../../test/webhooks/send-webhook.js';
import { BANKSIA } from '../../test/proxy/proxy-stack.js';
import { generatedText } from './documents.js';
import { applicationWithFile } from './page.js';
import { openProject, type Project } from './project.js';

jest.setTimeout(60_000); // a compiler and a bundler on a busy machine

const SECRET = 'a-secret-of-the-readme-test';
const README = readFileSync('client/README.md', 'utf8');
const [setup = '', ...examples] = [...README.matchAll(/```ts\n([^]*?)```/g)].map(([, text]) => text!);

const stack = useStack(
  { WEBHOOK_SECRETS: SECRET, OPERATION_RULES: 'enforce' }, // what is shown here obeys them
  { switches: { mutations: 'stateful' } },
);
let project: Project;
let given: string;
beforeAll(async () => {
  project = await openProject();
  writeFileSync(join(project.folder, 'operations.ts'), await generatedText());
  given = `
    const auth = { token: () => ${JSON.stringify(await stack.playground.signIn('amelia'))}, userId: 'amelia' };
    const id: string = ${JSON.stringify(applicationWithFile(stack))};
    const hirerId: string = ${JSON.stringify(BANKSIA)};
    const SeekApi = { render: (..._given: unknown[]): void => undefined };
    const [container, positionProfile] = [{ remove: (): void => undefined }, {}];
    export { auth, id, hirerId, SeekApi, container, positionProfile };
  `;
}, 180_000); // npm and a compiler, one after another

/** The output that an example states. */
const promised = (text: string): string[] =>
  [...text.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line!);

async function run(text: string): Promise<string[]> {
  const script = (await project.bundle(text))
    .replaceAll('https://bff.partner.example', stack.url)
    .replaceAll('https://graphql.example.com', stack.playground.upstreamUrl);
  const file = join(newFolder(), 'app.mjs');
  writeFileSync(file, script);
  const running = promisify(execFile)(process.execPath, [file], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  running.child.stdout!.on('data', (data: string) => {
    if (data.includes('open\n')) void sendWebhook(stack.url, SECRET, [anEvent()]);
  });
  return (await running).stdout.trim().split('\n');
}

/** An example after what it needs; the first makes what the others use. */
function moduleOf(example: string): string {
  if (example === setup) return `${given}\n${setup}`;
  const made = setup.replace(/\nconst \{ hiringOrganization \}[^]*/, '');
  return `${given}\n${made}${example}`;
}

test.each([setup, ...examples].map((text, at) => [at + 1, text] as const))(
  'example %d runs as it is written',
  async (_at, example) => {
    const printed = await run(moduleOf(example));
    expect(printed.filter((line) => line !== 'open' && line !== '')).toEqual(promised(example));
  },
);

test('every example compiles as it is written', async () => {
  expect(await project.check(...[setup, ...examples].map(moduleOf))).toBe('');
});
