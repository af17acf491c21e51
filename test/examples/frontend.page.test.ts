import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { build, checkTypes, copyExample } from '../../client/test/project.js';
import type { Service } from '../../src/service.js';
import { BANKSIA, CHAO_PHRAYA, NUSANTARA } from '../proxy/proxy-stack.js';
import { launchBrowser } from '../support/browser.js';
import { startAgain } from '../support/start-again.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';

jest.setTimeout(60_000); // a compiler, a bundler and a browser on a busy machine

const SECRET = 'a-secret-of-the-example-tests';
const PAGE_ITEMS = 10;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

let stack: Stack;
let service: Service;
let folder: string;
let pageServer: Server;
let browser: Browser;
let context: BrowserContext;
/** Applications to each hirer, as the example knows them. */
const applications: Record<string, string[]> = {};

beforeAll(async () => {
  pageServer = createServer((request, response) => {
    const file = request.url === '/' ? '/index.html' : request.url!;
    response.setHeader('content-type', TYPES[extname(file)]!).end(readFileSync(join(folder, 'dist', file)));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => pageServer.once('listening', resolve));
  stack = await startStack({
    CORS_ORIGINS: origin(),
    WEBHOOK_SECRETS: SECRET,
    EVENTS_SCHEME_ID: '',
    RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
    DATA_DIR: mkdtempSync(join(tmpdir(), 'example-data-')),
  });
  service = stack.service;
  folder = await copyExample('examples/frontend');
  Object.assign(applications, { [BANKSIA]: listOf(BANKSIA, 1_000), [NUSANTARA]: listOf(NUSANTARA, 25) });
  applications[CHAO_PHRAYA] = listOf(CHAO_PHRAYA, 5);
  writeFileSync(join(folder, 'src', 'applications.json'), JSON.stringify(applications));
  await build(folder, {
    VITE_SERVICE_URL: stack.url,
    VITE_UPSTREAM_URL: stack.playground.upstreamUrl,
    VITE_SIGN_IN_URL: `${stack.playground.issuerUrl}/demo/sign-in`,
  });
  browser = await launchBrowser();
}, 180_000); // npm, a compiler and a bundler, one after another
afterAll(async () => {
  await browser.close();
  await service.close();
  await stack.close();
  pageServer.close();
});

beforeEach(async () => {
  context = await browser.newContext();
});
afterEach(async () => {
  stack.playground.faults.clear();
  await context.close();
});

const origin = (): string => `http://127.0.0.1:${(pageServer.address() as AddressInfo).port}`;

/** Applications of a hirer, again from the first one when it has too few. */
function listOf(hirerId: string, length: number): string[] {
  const known = [...stack.playground.world.candidateProfiles.values()].filter(
    (profile) => profile.kind === 'application' && profile.hirerId === hirerId,
  );
  return Array.from({ length }, (_, at) => known[at % known.length]!.id);
}

/** The names of the candidates of these applications. */
function namesOf(ids: readonly string[]): string[] {
  const { candidateProfiles, candidates } = stack.playground.world;
  return ids.map((id) => {
    const { given, family } = candidates.get(candidateProfiles.get(id)!.candidateId)!.person;
    return `${given} ${family}`;
  });
}

/** A tab in which a user is signed in. */
async function openAs(name: string, hirer?: string): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript('delete window.showSaveFilePicker'); // its dialog cannot be driven
  await page.goto(origin());
  await page.getByRole('button', { name }).click();
  await page.getByLabel('Hirer').waitFor();
  if (hirer !== undefined) await page.getByLabel('Hirer').selectOption({ label: hirer });
  return page;
}

const panel = (page: Page, name: string): Locator => page.getByRole('region', { name });
const itemsOf = (page: Page, name: string): Locator => panel(page, name).locator('ul > li');
const statusOf = (page: Page, name: string, text: string): Promise<void> =>
  panel(page, name).locator('p[role=status]').getByText(text, { exact: true }).waitFor();
/** The first line of each candidate. */
async function candidatesOf(page: Page): Promise<string[]> {
  return (await itemsOf(page, 'Candidates').allInnerTexts()).map((text) => text.split('\n')[0]!);
}

test('a copy of the example compiles with the packed package', async () => {
  expect(await checkTypes(folder)).toBe('');
});

test('a user sees positions and candidates of one hirer, and of another one nothing of the first', async () => {
  const page = await openAs('Amelia Hughes', 'Nusantara Logistics');
  await statusOf(page, 'Candidates', '25 of 25');
  expect(await candidatesOf(page)).toEqual(namesOf(applications[NUSANTARA]!));
  const owned = [...stack.playground.world.openings.values()].filter(({ hirerId }) => hirerId === NUSANTARA);
  await statusOf(page, 'Positions', String(owned.length));
  await page.getByLabel('Hirer').selectOption({ label: 'Banksia Health Group' });
  await until(async () => (await itemsOf(page, 'Candidates').count()) >= PAGE_ITEMS);
  const shown = await candidatesOf(page);
  expect(shown).toEqual(namesOf(applications[BANKSIA]!.slice(0, shown.length)));
});

test('1,000 candidates of which the seventh page fails: six pages stay, the rest comes on request, none twice', async () => {
  const page = await openAs('Amelia Hughes', 'Nusantara Logistics');
  await statusOf(page, 'Candidates', '25 of 25');
  const field = 'Query.candidateProfile';
  stack.playground.faults.add({
    field,
    code: 'INTERNAL_SERVER_ERROR',
    after: 6 * PAGE_ITEMS,
    times: PAGE_ITEMS,
  });
  await page.getByLabel('Hirer').selectOption({ label: 'Banksia Health Group' });
  const alert = panel(page, 'Candidates').getByRole('alert');
  await alert.waitFor();
  expect(await candidatesOf(page)).toEqual(namesOf(applications[BANKSIA]!.slice(0, 6 * PAGE_ITEMS)));
  await alert.getByRole('button', { name: 'Try again' }).click();
  await statusOf(page, 'Candidates', '1000 of 1000');
  expect(await candidatesOf(page)).toEqual(namesOf(applications[BANKSIA]!));
  expect(await alert.count()).toBe(0);
});

test('texts change with the language, and a browser token that expires is renewed unnoticed', async () => {
  const page = await openAs('Amelia Hughes', 'Nusantara Logistics');
  const first = itemsOf(page, 'Job categories').first();
  const topCategories = [...stack.playground.world.jobCategories.values()].filter(
    ({ parentId }) => parentId === null,
  );
  const seen: string[] = [];
  for (const language of ['English', 'Bahasa Indonesia', 'ไทย']) {
    await page.getByLabel('Language').selectOption({ label: language });
    await statusOf(page, 'Job categories', String(topCategories.length));
    seen.push(await first.innerText());
    // once: the service keeps a token that replaced a refused one for 5 s
    if (seen.length === 1) stack.playground.tokens.expire({ kind: 'browser' });
  }
  expect(new Set(seen).size).toBe(3);
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('the chosen hirer stays on view while the list of hirers comes in another language', async () => {
  const page = await openAs('Amelia Hughes', 'Nusantara Logistics');
  const held = Promise.withResolvers<void>();
  await page.route(`${stack.url}/hirers`, (route) => {
    held.resolve();
    return route.request().method() === 'GET' ? undefined : route.continue();
  });
  await page.getByLabel('Language').selectOption({ label: 'ไทย' });
  await held.promise;
  await statusOf(page, 'Candidates', '25 of 25');
  const chosen = page.getByLabel('Hirer').locator('option:checked');
  expect(await chosen.innerText()).toBe('Nusantara Logistics');
});

test('without a network the page says so, and goes on where it was when it is back', async () => {
  const page = await openAs('Amelia Hughes', 'Banksia Health Group');
  await until(async () => (await itemsOf(page, 'Candidates').count()) >= PAGE_ITEMS);
  await context.setOffline(true);
  const alert = panel(page, 'Candidates').getByRole('alert');
  await alert.getByText('There is no connection.').waitFor();
  const before = await candidatesOf(page);
  expect(before).toEqual(namesOf(applications[BANKSIA]!.slice(0, before.length)));
  await context.setOffline(false);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await statusOf(page, 'Candidates', '1000 of 1000');
  expect(await candidatesOf(page)).toEqual(namesOf(applications[BANKSIA]!));
});

test('events are live, also after a restart of the service, and a run goes on', async () => {
  const page = await openAs('Amelia Hughes', 'Banksia Health Group');
  await statusOf(page, 'Events', 'Live');
  await sendWebhook(stack.url, SECRET, [anEvent({ hirerId: BANKSIA, type: 'PositionProfilePosted' })]);
  await itemsOf(page, 'Events').getByText('Position Profile Posted').waitFor();
  await service.close();
  service = await startAgain(stack);
  await statusOf(page, 'Events', 'Live');
  await sendWebhook(stack.url, SECRET, [anEvent({ hirerId: NUSANTARA, type: 'PositionProfileClosed' })]);
  await itemsOf(page, 'Events').getByText('Position Profile Closed').waitFor();
  expect(await itemsOf(page, 'Events').allInnerTexts()).toEqual([
    expect.stringContaining('Nusantara Logistics'),
    expect.stringContaining('Banksia Health Group'),
  ]);
  const retry = panel(page, 'Candidates').getByRole('button', { name: 'Try again' });
  if (await retry.isVisible()) await retry.click();
  await statusOf(page, 'Candidates', '1000 of 1000');
  expect(await candidatesOf(page)).toEqual(namesOf(applications[BANKSIA]!));
});

test('a file is saved under its name, and opened by a link that works once', async () => {
  const page = await openAs('Amelia Hughes', 'Nusantara Logistics');
  const file = page.locator('.file').first();
  const name = await file.locator('span').innerText();
  const saving = page.waitForEvent('download');
  await file.getByRole('button', { name: 'Save' }).click();
  expect((await saving).suggestedFilename()).toBe(name);
  const opening = context.waitForEvent('request', (request) => request.url().includes('/attachments/links/'));
  await file.getByRole('button', { name: 'Open' }).click();
  const url = (await opening).url();
  await until(async () => (await fetch(url)).status === 404);
  expect((await fetch(url)).status).toBe(404);
});

test('a user who signs out in one tab is signed out in the others, and nobody else is', async () => {
  const [one, other] = [await openAs('Amelia Hughes'), await openAs('Amelia Hughes')];
  const bayu = await openAs('Bayu Santoso');
  await one.getByRole('button', { name: 'Sign out' }).click();
  await other.getByRole('button', { name: 'Amelia Hughes' }).waitFor();
  expect(await bayu.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(true);
});

test('a user who is taken off a hirer is told what to do, and so is one who has none', async () => {
  const page = await openAs('Bayu Santoso', 'Nusantara Logistics');
  await statusOf(page, 'Candidates', '25 of 25');
  const membership = `${stack.opsUrl}/memberships/bayu/${encodeURIComponent(NUSANTARA)}`;
  await fetch(membership, { method: 'DELETE' });
  await page.getByLabel('Language').selectOption({ label: 'ไทย' });
  await panel(page, 'Candidates').getByText('ask an administrator to add you').waitFor();
  expect(await panel(page, 'Candidates').innerText()).toContain('For support');
  await fetch(membership, { method: 'PUT' });
  stack.playground.faults.add({ field: 'Query.positionOpenings', code: 'FORBIDDEN', message: 'x' });
  await page.getByLabel('Language').selectOption({ label: 'English' });
  await panel(page, 'Positions').getByText('This hirer has not granted permission for this.').waitFor();
  const dora = await openAs('Dora Kelly');
  await dora.getByText('You do not belong to any hirer yet.').waitFor();
  expect(await dora.getByRole('region').count()).toBe(0);
});

test.each(['light', 'dark'] as const)('nothing is wider than 360 px (%s)', async (colorScheme) => {
  await context.close();
  context = await browser.newContext({ viewport: { width: 360, height: 740 }, colorScheme });
  const page = await openAs('Amelia Hughes', 'Nusantara Logistics');
  await statusOf(page, 'Candidates', '25 of 25');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
});
