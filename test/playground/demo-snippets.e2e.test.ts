import { resolve } from 'node:path';
import * as attachments from '../../client/src/attachments.js';
import * as client from '../../client/src/client.js';
import * as events from '../../client/src/events.js';
import { startStack, type Stack } from '../support/start-stack.js';

const SNIPPETS_FILE = resolve('playground/src/demo-page/page/snippets.mjs');
const MODULES: Readonly<Record<string, object>> = {
  'partner-bff-client': client,
  'partner-bff-client/attachments': attachments,
  'partner-bff-client/events': events,
};
type Show = (...shown: unknown[]) => void;
const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: string[]
) => (modules: typeof MODULES, bff: client.Bff, show: Show) => Promise<void>;

describe('the code that the demo page shows', () => {
  let stack: Stack;
  let snippets: Record<string, string>;
  beforeAll(async () => {
    stack = await startStack();
    ({ SNIPPETS: snippets } = (await import(SNIPPETS_FILE)) as { SNIPPETS: Record<string, string> });
  });
  afterAll(() => stack.close());

  const makeBff = (): client.Bff =>
    new client.Bff({
      url: stack.url,
      hirerId: stack.playground.demo.hirers[0]!.hirerId,
      getUserToken: () => stack.playground.signIn('amelia'),
    });

  /** Runs a snippet as it stands, with its imports resolved to the package's sources. */
  async function run(name: string, bff = makeBff(), onShow?: Show): Promise<unknown[][]> {
    const code = snippets[name]!.replaceAll(
      /import \{([^}]+)\} from '([^']+)';/g,
      (_import, names: string, module: string) => `const {${names}} = modules['${module}'];`,
    );
    const shown: unknown[][] = [];
    await new AsyncFunction('modules', 'bff', 'show', code)(MODULES, bff, (...values) => {
      shown.push(values);
      onShow?.(...values);
    });
    return shown;
  }

  test('runs a registered operation, a language and a batch', async () => {
    expect(await run('registered')).toEqual([[expect.objectContaining({ edges: expect.any(Array) })]]);
    expect(await run('languages')).toEqual([[expect.any(String)]]);
    expect(await run('batch')).toEqual([
      [{ self: { hirer: { name: 'Banksia Health Group' } } }],
      ['FORBIDDEN'],
    ]);
  });

  test('downloads an attachment, and makes a link that works once', async () => {
    const [[fileName, size], [url]] = (await run('attachment')) as [[string, number], [string]];
    expect([fileName, size > 0]).toEqual([expect.stringMatching(/^\w+ .+\.\w+$/), true]);
    expect([(await fetch(url)).status, (await fetch(url)).status]).toEqual([200, 404]);
  });

  test('reads live events', async () => {
    stack.playground.subscribe({ url: `${stack.url}/webhooks` });
    const bff = makeBff();
    const { hirerId } = stack.playground.demo.hirers[0]!;
    const timer = setInterval(
      () => stack.playground.events.emit('CandidateProfilePurchased', { hirerId }),
      100,
    );
    const shown = await run('events', bff, () => bff.signOut()).finally(() => clearInterval(timer));
    expect(shown).toEqual([['CandidateProfilePurchased', expect.objectContaining({ hirerId })]]);
  });

  test('reports a failure with its code, pause and request id', async () => {
    stack.playground.faults.add({ route: 'graphql', status: 429, headers: { 'Retry-After': '7' } });
    expect(await run('failures')).toEqual([['RATE_LIMITED', 7, expect.any(String)]]);
  });
});
