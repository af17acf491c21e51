import type { Browser, BrowserContext, JSHandle } from 'playwright-core';
import { BANKSIA } from '../../test/proxy/proxy-stack.js';
import { launchBrowser } from '../../test/support/browser.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import { createAttachmentLink } from '../src/attachments.js';
import type { AttachmentsPage, End, Outcome } from './attachments-page.js';
import { openPage, sealedLink } from './page.js';
import { servePage, type PageServer } from './page-server.js';

jest.setTimeout(60_000); // a bundler and a browser on a busy machine

let server: PageServer;
let stack: Stack;
let browser: Browser;
let context: BrowserContext;
let page: JSHandle<AttachmentsPage>;
let link: string;
let content: number[];
beforeAll(async () => {
  server = await servePage('client/test/attachments-page.ts');
  stack = await startStack({ CORS_ORIGINS: server.origin });
  browser = await launchBrowser();
  const { bff } = openPage(stack);
  link = await sealedLink(stack, bff);
  content = [...(await (await fetch((await createAttachmentLink(bff, link)).url)).bytes())];
});
afterAll(async () => {
  await browser.close();
  await stack.close();
  server.close();
});
beforeEach(async () => {
  context = await browser.newContext();
  const tab = await context.newPage();
  await tab.goto(server.origin);
  await tab.waitForFunction(() => 'AttachmentsPage' in globalThis);
  const options = { url: stack.url, hirerId: BANKSIA, userToken: await stack.playground.signIn('amelia') };
  page = await tab.evaluateHandle(
    (given) =>
      new (
        globalThis as unknown as { AttachmentsPage: new (options: object) => AttachmentsPage }
      ).AttachmentsPage(given),
    options,
  );
});
afterEach(async () => {
  stack.playground.faults.clear();
  await context.close();
});

const save = (address: string, end?: End): Promise<Outcome> =>
  page.evaluate((own, [path, how]) => own.save(path, how), [address, end] as const);

test('a file is streamed to the place that the user chose, byte for byte, with progress', async () => {
  const { progress, error, files } = await save(link);
  expect([error, files]).toEqual([undefined, [['saved', content]]]);
  expect(progress.at(-1)).toEqual({ loadedBytes: content.length, totalBytes: content.length });
});

test.each([
  ['abort', { name: 'AbortError' }],
  ['switch', { code: 'SESSION_ENDED' }],
] as const)('a download that ends early (%s) says why, and leaves no file', async (end, error) => {
  stack.playground.faults.add({ route: 'attachments', dripMs: 1, times: 2 });
  expect(await save(link, end)).toMatchObject({ error, files: [] });
  const inMemory = await page.evaluate((own, [path, how]) => own.download(path, how), [link, end] as const);
  expect(inMemory).toMatchObject({ error });
});

test('a file that breaks off, and a link that has expired, leave no file', async () => {
  stack.playground.faults.add({ route: 'attachments', truncate: true });
  expect(await save(link)).toMatchObject({ error: { code: 'NETWORK_ERROR' }, files: [] });
  expect(await save('/attachments/x')).toMatchObject({ error: { code: 'NOT_FOUND' }, files: [] });
});
