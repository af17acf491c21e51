import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { build, copyExample } from '../../client/test/project.js';
import { BANKSIA, NUSANTARA } from '../proxy/proxy-stack.js';
import { launchBrowser } from '../support/browser.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { violationsOf } from '../support/axe.js';
import { overflowOf } from './frontend-page.js';

jest.setTimeout(60_000); // a bundler and a browser on a busy machine

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};
const NAMES = { [BANKSIA]: 'Banksia Health Group', [NUSANTARA]: 'Nusantara Logistics' };
const PRODUCT = /^\w.*: .*\d/;

let stack: Stack;
let folder: string;
let pageServer: Server;
let browser: Browser;
let page: Page;
let violations: string[];

beforeAll(async () => {
  pageServer = createServer((request, response) => {
    const file = request.url === '/' ? '/index.html' : request.url!;
    response.setHeader('content-type', TYPES[extname(file)]!).end(readFileSync(join(folder, 'dist', file)));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => pageServer.once('listening', resolve));
  const origin = `http://127.0.0.1:${(pageServer.address() as AddressInfo).port}`;
  stack = await startStack({ CORS_ORIGINS: origin, RATE_LIMIT_MINTS_PER_MINUTE: '0' });
  folder = await copyExample('examples/panels');
  await build(folder, {
    VITE_SERVICE_URL: stack.url,
    VITE_UPSTREAM_URL: stack.playground.upstreamUrl,
    VITE_SIGN_IN_URL: `${stack.playground.issuerUrl}/demo/sign-in`,
    VITE_PANELS_URL: `${origin}/panels/SeekApi.js`,
  });
  browser = await launchBrowser();
}, 180_000); // npm and a bundler, one after another
afterAll(async () => {
  await browser.close();
  await stack.close();
  pageServer.close();
});

beforeEach(async () => {
  page = await browser.newPage();
  violations = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) violations.push(message.text());
  });
  await page.goto(`http://127.0.0.1:${(pageServer.address() as AddressInfo).port}`);
});
afterEach(async () => {
  stack.playground.faults.clear();
  expect(violations).toEqual([]);
  await page.close();
});

type Hirer = typeof BANKSIA | typeof NUSANTARA;
const open = (hirer: Hirer): Promise<void> =>
  page.getByRole('button', { name: `Show products of ${NAMES[hirer]}` }).click();
const panelOf = (hirer: Hirer) => page.locator('section').filter({ hasText: NAMES[hirer] });
const linesOf = async (hirer: Hirer): Promise<string[]> => {
  await panelOf(hirer).getByRole('listitem').first().waitFor();
  return panelOf(hirer).getByRole('listitem').allTextContents();
};
const choose = (hirer: Hirer): Promise<string[]> => page.getByLabel('Hirer').selectOption(hirer);
/** The calls of panels: what each was sent with. */
const calls = () => stack.playground.calls.list({ route: 'graphql' });

test.each([
  [BANKSIA, NUSANTARA],
  [NUSANTARA, BANKSIA],
] as const)(
  'panels of two hirers, %s before %s, each show what their own token opens',
  async (first, second) => {
    await open(first);
    await open(second);
    for (const hirer of [first, second]) {
      expect(await linesOf(hirer)).toContainEqual(expect.stringMatching(PRODUCT));
    }
  },
);

test.each([
  [BANKSIA, NUSANTARA],
  [NUSANTARA, BANKSIA],
] as const)('a panel for %s that is open during a switch to %s gets no further token', async (own, next) => {
  await choose(own);
  await open(own);
  await linesOf(own);
  const panel = await panelOf(own).elementHandle();
  await choose(next);
  await panelOf(own).waitFor({ state: 'detached' });
  stack.playground.faults.add({ field: 'Query.advertisementProducts', code: 'UNAUTHENTICATED', times: 1 });
  // Its script may still run, though it is no longer on the page.
  await panel.evaluate((section) => section.querySelector('button')!.click());
  await page.waitForFunction(
    (section) => section.querySelector('li')?.textContent === 'SESSION_ENDED',
    panel,
  );
  await open(next);
  expect(await linesOf(next)).toContainEqual(expect.stringMatching(PRODUCT));
});

test('a panel whose token is dead at the upstream gets another one', async () => {
  await open(BANKSIA);
  await linesOf(BANKSIA);
  stack.playground.tokens.expire({ kind: 'browser' });
  const before = calls().length;
  await panelOf(BANKSIA).getByRole('button', { name: 'Reload' }).click();
  await until(() => calls().length >= before + 2);
  expect(
    calls()
      .slice(before)
      .map(({ token }) => token),
  ).toEqual(['expired', 'browser']);
  await page.waitForFunction(() => /\d/.test(document.querySelector('section li')?.textContent ?? ''));
});

test('a panel is in the language of the page, and follows it', async () => {
  const before = calls().length;
  const languages = () => [
    ...new Set(
      calls()
        .slice(before)
        .map(({ acceptLanguage }) => acceptLanguage),
    ),
  ];
  await page.getByLabel('Language').selectOption('id-ID');
  await open(NUSANTARA);
  await until(() => languages().length === 1);
  await page.getByLabel('Language').selectOption('th-TH');
  await until(() => languages().length === 2);
  expect(languages()).toEqual(['id-ID', 'th-TH']);
});

test.each([
  [1280, 'light'],
  [360, 'dark'],
] as const)('the page has no violation and fits %i px (%s)', async (width, colorScheme) => {
  await page.setViewportSize({ width, height: 740 });
  await page.emulateMedia({ colorScheme });
  for (const hirer of [BANKSIA, NUSANTARA] as const) {
    await open(hirer);
    await linesOf(hirer);
  }
  expect(await violationsOf(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
});
