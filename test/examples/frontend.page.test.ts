/* eslint-disable max-lines -- one page, built once, and what can fail in it */
import { gzipSync } from 'node:zlib';
import type { BrowserContext, Page, Response } from 'playwright-core';
import { checkTypes } from '../../client/test/project.js';
import { isLive } from '../../playground/src/data/positions/position-records.js';
import { BANKSIA, NUSANTARA } from '../proxy/proxy-stack.js';
import { until } from '../support/until.js';
import { violationsOf } from '../support/browser.js';
import { openFrontend, overflowOf, section, type Frontend } from './frontend-page.js';

jest.setTimeout(120_000); // a compiler, a bundler and a browser on a busy machine

const PAGE_ITEMS = 10;
const FIRST_LOAD_BYTES_MAX = 100_000;
/** Of each hirer, the ad that the tests look at, and all that the back end knows of the hirer. */
const ads: Record<string, { id: string; title: string; applications: string[] }> = {};

let frontend: Frontend;
let context: BrowserContext;

beforeAll(async () => {
  frontend = await openFrontend({
    known: ({ playground: { world, clock } }) => {
      for (const hirerId of [BANKSIA, NUSANTARA]) {
        const own = [...world.candidateProfiles.values()].filter(
          (profile) => profile.kind === 'application' && profile.hirerId === hirerId,
        );
        const [{ id, positionTitle: title } = { id: '', positionTitle: '' }] = [
          ...world.positionProfiles.values(),
        ].filter((ad) => ad.hirerId === hirerId && isLive(ad, clock.now()));
        ads[hirerId] = {
          id,
          title: `${title} of ${hirerId.slice(-4)}`,
          applications: own.map((one) => one.id),
        };
        world.positionProfiles.get(id)!.positionTitle = ads[hirerId].title;
      }
      return Object.fromEntries(Object.values(ads).map(({ id, applications }) => [id, applications]));
    },
  });
}, 180_000); // npm, a compiler and a bundler, one after another
afterAll(() => frontend.close());
beforeEach(async () => {
  context = await frontend.browser.newContext({ locale: 'en-AU' });
});
afterEach(async () => {
  frontend.stack.playground.faults.clear();
  await context.close();
});

const openAs = (name: string, hirer?: string): Promise<Page> => frontend.openAs(context, name, hirer);

/** The names of the candidates of these applications. */
function namesOf(ids: readonly string[]): string[] {
  const { candidateProfiles, candidates } = frontend.stack.playground.world;
  return ids.map((id) => candidates.get(candidateProfiles.get(id)!.candidateId)!.person.name.formattedName);
}

const banners = (page: Page) => page.getByRole('alert');
const applications = (page: Page) => section(page, 'Applications');

/** The first line of each application. */
async function candidatesOf(page: Page): Promise<string[]> {
  const texts = await applications(page).getByRole('listitem').allInnerTexts();
  return texts.map((text) => text.split('\n')[0]!);
}

async function openAd(page: Page, hirerId: string): Promise<void> {
  await page.getByRole('button', { name: ads[hirerId]!.title }).click();
  await section(page, ads[hirerId]!.title).waitFor();
}

const allShown = (page: Page, hirerId: string): Promise<void> =>
  applications(page).getByText(`${ads[hirerId]!.applications.length} shown`, { exact: true }).waitFor();

test('a copy of the example compiles with the packed package', async () => {
  expect(await checkTypes(frontend.folder)).toBe('');
});

test('the first load, which sign-in and ads need nothing more than, is under 100 kB compressed', async () => {
  const page = await context.newPage();
  const responses: Response[] = [];
  const keep = (response: Response) => void responses.push(response);
  page.on('response', keep);
  await page.goto(frontend.origin, { waitUntil: 'networkidle' });
  page.off('response', keep);
  const sizes = await Promise.all(responses.map(async (one) => gzipSync(await one.body()).length));
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.reduce((sum, bytes) => sum + bytes)).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  await page.route(`${frontend.origin}/**`, (route) => route.abort());
  await page.getByRole('button', { name: 'Amelia Hughes' }).click();
  await section(page, 'Ads')
    .getByText(/^\d+ shown$/)
    .waitFor();
});

test.each([
  [BANKSIA, 'Banksia Health Group', NUSANTARA, 'Nusantara Logistics'],
  [NUSANTARA, 'Nusantara Logistics', BANKSIA, 'Banksia Health Group'],
])('of %s, nothing is on view after a switch', async (first, firstName, second, secondName) => {
  const page = await openAs('Amelia Hughes', firstName);
  await openAd(page, first);
  await allShown(page, first);
  expect(await candidatesOf(page)).toEqual(namesOf(ads[first]!.applications));
  await page.getByLabel('Hirer').selectOption({ label: secondName });
  await section(page, 'Ads')
    .getByText(/^\d+ shown$/)
    .waitFor();
  expect(await page.locator('main').innerText()).not.toContain(ads[first]!.title);
  await openAd(page, second);
  await allShown(page, second);
  expect(await candidatesOf(page)).toEqual(namesOf(ads[second]!.applications));
});

test('applications of which the third page fails: two pages stay, the rest comes on request, none twice', async () => {
  const page = await openAs('Amelia Hughes', 'Banksia Health Group');
  const field = 'Query.candidateProfile';
  const { applications: ids } = ads[BANKSIA]!;
  frontend.stack.playground.faults.add({
    field,
    code: 'INTERNAL_SERVER_ERROR',
    after: 2 * PAGE_ITEMS,
    times: PAGE_ITEMS,
  });
  await openAd(page, BANKSIA);
  await applications(page).getByRole('alert').waitFor();
  expect(await candidatesOf(page)).toEqual(namesOf(ids.slice(0, 2 * PAGE_ITEMS)));
  const missing = `Missing here, because they could not be read: ${ids.length - 2 * PAGE_ITEMS}`;
  expect(await applications(page).innerText()).toContain(missing);
  await applications(page).getByRole('button', { name: 'Try again' }).click();
  await allShown(page, BANKSIA);
  expect(await candidatesOf(page)).toEqual(namesOf(ids));
  expect(await banners(page).count()).toBe(0);
});

test('an application that fails alone leaves the others, and is said to be missing', async () => {
  const page = await openAs('Amelia Hughes', 'Banksia Health Group');
  frontend.stack.playground.faults.add({
    field: 'Query.candidateProfile',
    code: 'INTERNAL_SERVER_ERROR',
    times: 1,
  });
  await openAd(page, BANKSIA);
  await applications(page).getByText('Missing here, because they could not be read: 1').waitFor();
  const { length } = ads[BANKSIA]!.applications;
  await applications(page)
    .getByText(`${length - 1} shown`)
    .waitFor();
  expect(await candidatesOf(page)).toEqual(namesOf(ads[BANKSIA]!.applications.slice(1)));
});

test('labels and the texts of the upstream change with the language; a dead browser token is not noticed', async () => {
  const page = await openAs('Amelia Hughes', 'Banksia Health Group');
  await page.getByRole('button', { name: 'New ad' }).click();
  const seen: string[] = [];
  for (const [language, field, location] of [
    ['English', 'Kind of pay', 'Location'],
    ['Bahasa Indonesia', 'Jenis gaji', 'Lokasi'],
    ['ไทย', 'รูปแบบค่าจ้าง', 'สถานที่'],
  ] as const) {
    await page.locator('header select').nth(1).selectOption({ label: language });
    const pay = page.getByLabel(field).locator('option:checked');
    await until(async () => !['', ...seen].includes(await pay.innerText()));
    seen.push(await pay.innerText());
    // once: the service keeps a token that replaced a refused one for 5 s
    if (seen.length === 1) frontend.stack.playground.tokens.expire({ kind: 'browser' });
    await page.getByLabel(location).fill('syd');
    await page.locator('[role=option]').first().waitFor();
    await page.getByLabel(location).fill('');
    expect(await violationsOf(page)).toEqual([]);
  }
  expect(await page.locator('html').getAttribute('lang')).toBe('th-TH');
  expect(await banners(page).count()).toBe(0);
});

test('the chosen hirer stays on view while the list of hirers comes in another language', async () => {
  const page = await openAs('Amelia Hughes', 'Nusantara Logistics');
  const held = Promise.withResolvers<void>();
  await page.route(`${frontend.stack.url}/hirers`, (route) => {
    held.resolve();
    return route.request().method() === 'GET' ? undefined : route.continue();
  });
  await page.getByLabel('Language').selectOption({ label: 'ไทย' });
  await held.promise;
  const chosen = page.getByLabel('ผู้ว่าจ้าง').locator('option:checked');
  expect(await chosen.innerText()).toBe('Nusantara Logistics');
});

test('without a network one banner says so, and everything goes on by itself when it is back', async () => {
  const page = await openAs('Amelia Hughes', 'Banksia Health Group');
  await section(page, 'Ads')
    .getByText(/^\d+ shown$/)
    .waitFor();
  await context.setOffline(true);
  await page.getByRole('button', { name: ads[BANKSIA]!.title }).click();
  await page.getByText('There is no connection.').waitFor();
  expect(await banners(page).count()).toBe(1);
  expect(await page.getByText('For support').count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  await context.setOffline(false);
  await allShown(page, BANKSIA);
  expect(await candidatesOf(page)).toEqual(namesOf(ads[BANKSIA]!.applications));
  await until(async () => (await banners(page).count()) === 0);
});

test('events are live, also after a restart of the service; those of other hirers are not told', async () => {
  const page = await openAs('Amelia Hughes', 'Banksia Health Group');
  await page.getByText('Live', { exact: true }).waitFor();
  await frontend.stop();
  await page.getByText('Connecting…').waitFor();
  await frontend.restart();
  await page.getByText('Live', { exact: true }).waitFor();
  await frontend.apply(frontend.adsOf(NUSANTARA)[0]!.id, { name: 'Of Another Hirer' });
  await frontend.apply(frontend.adsOf(BANKSIA)[0]!.id, { name: 'Priya Live' });
  await page.getByText('Priya Live applied').waitFor();
  expect(await page.locator('body').innerText()).not.toContain('Of Another Hirer');
});

test('a file is saved under its name, and read in the page by a link that works once', async () => {
  const page = await openAs('Amelia Hughes', 'Nusantara Logistics');
  await page.getByText('Live', { exact: true }).waitFor();
  await frontend.apply(frontend.adsOf(NUSANTARA)[0]!.id, {
    name: 'Dewi File',
    attachments: ['Resume.rtf', 'CoverLetter.txt'],
  });
  await page.getByRole('button', { name: 'Open application' }).click();
  const file = page.locator('.file').first();
  const name = await file.locator('span').innerText();
  const saving = page.waitForEvent('download');
  await file.getByRole('button', { name: 'Save' }).click();
  expect((await saving).suggestedFilename()).toBe(name);
  await file.getByRole('button', { name: 'Read' }).click();
  await file.getByText('This format cannot be shown here: save it.').waitFor();
  const letter = page.locator('.file').nth(1);
  const reading = context.waitForEvent('request', (request) => request.url().includes('/attachments/links/'));
  await letter.getByRole('button', { name: 'Read' }).click();
  await letter.frameLocator('iframe[sandbox=""]').getByText('Dewi File').first().waitFor();
  expect((await fetch((await reading).url())).status).toBe(404);
});

test('a user whose session has ended is told once, and signs in again', async () => {
  const { playground } = frontend.stack;
  const expired = await playground.signIn('amelia', { expiresInSeconds: -60 });
  const page = await context.newPage();
  await page.route(`${playground.issuerUrl}/demo/sign-in`, (route) =>
    route.fulfill({ json: { access_token: expired }, headers: { 'access-control-allow-origin': '*' } }),
  );
  await page.goto(frontend.origin);
  await page.getByRole('button', { name: 'Amelia Hughes' }).click();
  await page.getByText('You are no longer signed in.').waitFor();
  expect(await banners(page).count()).toBe(1);
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await page.getByText('Choose who you are.').waitFor();
});

test('a user who is taken off a hirer is told what to do, with an id for support; one who has none as well', async () => {
  const page = await openAs('Bayu Santoso', 'Nusantara Logistics');
  await section(page, 'Ads')
    .getByText(/^\d+ shown$/)
    .waitFor();
  const membership = `${frontend.stack.opsUrl}/memberships/bayu/${encodeURIComponent(NUSANTARA)}`;
  await fetch(membership, { method: 'DELETE' });
  await page.getByRole('button', { name: ads[NUSANTARA]!.title }).click();
  await page.getByText('ask an administrator to add you').waitFor();
  expect(await banners(page).count()).toBe(1);
  expect(await banners(page).innerText()).toMatch(/For support: [\w-]{36}/);
  await fetch(membership, { method: 'PUT' });
  const dora = await openAs('Dora Kelly');
  await dora.getByText('You do not belong to any hirer yet.').waitFor();
  expect(await dora.getByRole('region').count()).toBe(0);
});

test('a new ad is offered where the hirer allows posting; elsewhere a sentence says that it does not', async () => {
  const chanida = await openAs('Chanida Wongsa');
  await chanida.getByText('Chao Phraya Hotels does not allow us to post ads.').waitFor();
  expect(await chanida.getByRole('button', { name: 'New ad' }).count()).toBe(0);
  const bayu = await openAs('Bayu Santoso', 'Nusantara Logistics');
  await bayu.getByRole('button', { name: 'New ad' }).waitFor();
  expect(await bayu.getByText('does not allow us').count()).toBe(0);
});

test('a relationship that ended is said once, in one sentence, however many views want something', async () => {
  const page = await openAs('Amelia Hughes', 'Banksia Health Group');
  await section(page, 'Ads')
    .getByText(/^\d+ shown$/)
    .waitFor();
  for (const name of ['positionProfile', 'candidateProfile']) {
    frontend.stack.playground.faults.add({ field: `Query.${name}`, code: 'FORBIDDEN', message: 'x' });
  }
  await page.getByRole('button', { name: ads[BANKSIA]!.title }).click();
  const sentence = 'Banksia Health Group does not allow us to show or do all of this';
  await page.getByText(sentence).waitFor();
  await until(async () => (await page.getByText('loading…').count()) === 0);
  expect(await banners(page).count()).toBe(1);
});

test.each(['light', 'dark'] as const)(
  'the sign-in has no violation and fits 360 px (%s)',
  async (colorScheme) => {
    await context.close();
    context = await frontend.browser.newContext({ viewport: { width: 360, height: 740 }, colorScheme });
    const page = await context.newPage();
    await page.goto(frontend.origin);
    await page.getByRole('button', { name: 'Amelia Hughes' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  },
);
