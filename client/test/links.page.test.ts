import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, JSHandle, Page } from 'playwright-core';
import { BANKSIA, CHAO_PHRAYA, NUSANTARA } from '../../test/proxy/proxy-stack.js';
import type { Service } from '../../src/service.js';
import { launchBrowser } from '../../test/support/browser.js';
import { startAgain } from '../../test/support/start-again.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import type { ClientName } from './clients.js';
import type { LinksPage, LinksPageOptions } from './links-page.js';
import { servePage, type PageServer } from './page-server.js';

jest.setTimeout(60_000); // a bundler and a browser on a busy machine

const CATEGORY = 'query Category($id: String!) { jobCategory(id: $id) { name } }';
const HIRER = 'query Hirer($id: String!) { hiringOrganization(id: $id) { name } }';
const LANGUAGES = ['en-AU', 'id-ID', 'th-TH'] as const;
/** A hirer for each: the service keeps a token that replaced a refused one for 5 s. */
const CLIENTS: readonly (readonly [ClientName, string, string])[] = [
  ['Apollo Client', 'amelia', BANKSIA],
  ['urql', 'amelia', NUSANTARA],
  ['graphql-request', 'chanida', CHAO_PHRAYA],
];

let stack: Stack;
let service: Service;
let server: PageServer;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  server = await servePage('client/test/links-page.ts');
  const settings = { CORS_ORIGINS: server.origin, DATA_DIR: mkdtempSync(join(tmpdir(), 'links-data-')) };
  stack = await startStack(settings);
  service = stack.service;
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await service.close();
  await stack.close();
  server.close();
});
beforeEach(async () => {
  page = await browser.newPage();
  await page.goto(server.origin);
  await page.waitForFunction(() => 'LinksPage' in globalThis);
});
afterEach(() => page.close());

type Options = Pick<LinksPageOptions, 'client' | 'hirerId' | 'language' | 'upstreamUrl'>;

async function open(user: string, options: Options): Promise<JSHandle<LinksPage>> {
  const all = { url: stack.url, userToken: await stack.playground.signIn(user), ...options };
  return page.evaluateHandle(
    (given) =>
      new (globalThis as unknown as { LinksPage: new (options: object) => LinksPage }).LinksPage(given),
    all,
  );
}

const category = () => [...stack.playground.world.jobCategories.values()][0]!;
const askCategory = (client: JSHandle<LinksPage>): Promise<unknown> =>
  client.evaluate((own, [text, id]) => own.ask('jobCategory', text, { id }), [
    CATEGORY,
    category().id,
  ] as const);
const askHirer = (client: JSHandle<LinksPage>, id: string): Promise<unknown> =>
  client.evaluate((own, [text, hirerId]) => own.ask('hiringOrganization', text, { id: hirerId }), [
    HIRER,
    id,
  ] as const);

describe.each(CLIENTS)('%s in Chromium', (client, user, hirerId) => {
  const direct = (options: Partial<Options> = {}): Options => ({
    client,
    hirerId,
    upstreamUrl: stack.playground.upstreamUrl,
    ...options,
  });

  test.each(LANGUAGES)('reads in %s, directly and through the service', async (language) => {
    const name = category().name[language];
    expect(await askCategory(await open(user, direct({ language })))).toBe(name);
    expect(await askCategory(await open(user, { client, hirerId, language }))).toBe(name);
  });

  test('tells of a refused hirer what a person can do', async () => {
    const refusal = {
      name: 'BffError',
      code: 'FORBIDDEN',
      reason: 'hirer_forbidden',
      message: expect.stringContaining('Ask an administrator for access'),
    };
    const foreign = user === 'chanida' ? BANKSIA : CHAO_PHRAYA;
    expect(await askCategory(await open(user, direct({ hirerId: foreign })))).toEqual(refusal);
    expect(await askCategory(await open(user, { client, hirerId: foreign }))).toEqual(refusal);
  });

  test('does not notice that its token has expired', async () => {
    const opened = await open(user, direct());
    const name = await askHirer(opened, hirerId);
    expect(name).toEqual(expect.any(String));
    stack.playground.tokens.expire({ kind: 'browser', hirerId });
    expect(await askHirer(opened, hirerId)).toBe(name);
  });

  test('says so while the service is away, and goes on when it is back', async () => {
    const opened = await open(user, { client, hirerId });
    const name = await askHirer(opened, hirerId);
    await service.close();
    expect(await askHirer(opened, hirerId)).toMatchObject({ name: 'BffError', code: 'NETWORK_ERROR' });
    service = await startAgain(stack);
    expect(await askHirer(opened, hirerId)).toBe(name);
  });
});
