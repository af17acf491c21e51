/* eslint-disable max-lines -- one page, built once, as its users go through it and as it fails */
import type { BrowserContext, Page } from 'playwright-core';
import { checkTypes } from '../../client/test/project.js';
import { isPosted } from '../../playground/src/data/positions/position-records.js';
import { BANKSIA, NUSANTARA } from '../proxy/proxy-stack.js';
import { violationsOf } from '../support/browser.js';
import { until } from '../support/until.js';
import { openFrontend, overflowOf, section, tracesOf, type Frontend } from './frontend-page.js';

jest.setTimeout(120_000); // a compiler, a bundler and a browser on a busy machine

const PAGE_ITEMS = 10;
const NAMES = { [BANKSIA]: 'Banksia Health Group', [NUSANTARA]: 'Nusantara Logistics' };
const BOTH = [
  [BANKSIA, NUSANTARA],
  [NUSANTARA, BANKSIA],
] as const;
/** Of each hirer, the ad that the tests look at, and all that the back end knows of the hirer. */
const ads: Record<string, { id: string; title: string; applications: string[] }> = {};

let frontend: Frontend;
let context: BrowserContext;

beforeAll(async () => {
  frontend = await openFrontend(({ playground: { world } }, adsOf) => {
    for (const hirerId of [BANKSIA, NUSANTARA]) {
      const [ad] = adsOf(hirerId);
      ad!.positionTitle = `${ad!.positionTitle} of ${NAMES[hirerId]}`;
      const own = [...world.candidateProfiles.values()].filter(
        (profile) => profile.kind === 'application' && profile.hirerId === hirerId,
      );
      ads[hirerId] = { id: ad!.id, title: ad!.positionTitle, applications: own.map(({ id }) => id) };
    }
    return Object.fromEntries(Object.values(ads).map(({ id, applications }) => [id, applications]));
  });
}, 180_000); // npm, a compiler and a bundler, one after another
afterAll(() => frontend.close());
afterEach(async () => {
  frontend.stack.playground.faults.clear();
  await context.close();
});

async function openAs(name: string, hirerId?: keyof typeof NAMES): Promise<Page> {
  context = await frontend.browser.newContext({ locale: 'en-AU' });
  return frontend.openAs(context, name, hirerId && NAMES[hirerId]);
}

const banners = (page: Page) => page.getByRole('alert');
const applications = (page: Page) => section(page, 'Applications');
const isLive = (page: Page): Promise<void> => page.getByText('Live updates').waitFor();
const adsShown = (page: Page): Promise<void> =>
  section(page, 'Ads')
    .getByText(/^\d+ shown$/)
    .waitFor();
const allShown = (page: Page, hirerId: string): Promise<void> =>
  applications(page).getByText(`${ads[hirerId]!.applications.length} shown`, { exact: true }).waitFor();

async function openAd(page: Page, hirerId: string): Promise<void> {
  await page.getByRole('button', { name: ads[hirerId]!.title }).click();
  await section(page, ads[hirerId]!.title).waitFor();
}

/** The names of the candidates of these applications, the latest first. */
function namesOf(ids: readonly string[]): string[] {
  const { candidateProfiles, candidates } = frontend.stack.playground.world;
  return ids
    .map((id) => candidateProfiles.get(id)!)
    .sort((a, b) => b.createdMs - a.createdMs)
    .map(({ candidateId }) => candidates.get(candidateId)!.person.name.formattedName);
}

/** The first line of each application. */
async function candidatesOf(page: Page): Promise<string[]> {
  const texts = await applications(page).getByRole('listitem').allInnerTexts();
  return texts.map((text) => text.split('\n')[0]!);
}

/** Fills in an ad for which products are offered, and waits for them. */
async function fillIn(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'New ad' }).click();
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Location').fill('melb');
  await page.getByRole('button', { name: 'Melbourne, Victoria, Australia', exact: true }).click();
  await page.getByLabel('Category').selectOption({ index: 1 });
  await page.getByLabel('From').fill('80000');
  await page.getByLabel('Summary').fill('Care for people at night.');
  await page.getByLabel('Details').fill('A ward of <twelve>.\n\nNights & weekends.');
  await page.getByLabel('email').fill('amelia@example.com');
  await page.getByRole('radio', { name: /^Classic/ }).check();
}

const post = (page: Page): Promise<void> => page.getByRole('button', { name: 'Post ad' }).click();
/** What the playground holds under a title. */
const adsCalled = (title: string) =>
  [...frontend.stack.playground.world.positionProfiles.values()].filter((ad) => ad.positionTitle === title);

async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
}

test('a copy of the example compiles with the packed package', async () => {
  context = await frontend.browser.newContext();
  expect(await checkTypes(frontend.folder)).toBe('');
});

describe.each([
  [1280, 'light'],
  [360, 'dark'],
] as const)('at %i px, %s', (width, colorScheme) => {
  test('an ad is posted, a candidate applies and is moved along: each view without a violation', async () => {
    const title = `Night Nurse ${width}`;
    context = await frontend.browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    const page = await context.newPage();
    await page.goto(frontend.origin);
    await page.getByRole('button', { name: 'Amelia Hughes' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Amelia Hughes' }).click();
    await adsShown(page);
    await expectAccessible(page);

    await fillIn(page, title);
    await expectAccessible(page);
    await post(page);
    await page.getByText(`Posting “${title}”…`).waitFor();
    await page.getByText(`“${title}” is posted.`).waitFor();
    expect(adsCalled(title)).toMatchObject([
      {
        hirerId: BANKSIA,
        offeredRemunerationPackage: {
          ranges: [{ intervalCode: 'Year', minimumAmount: { currency: 'AUD', value: 80_000 } }],
        },
        positionFormattedDescriptions: [
          { content: '<p>A ward of &lt;twelve&gt;.</p><p>Nights &amp; weekends.</p>' },
          { content: 'Care for people at night.' },
        ],
        ad: { seekAnzAdvertisementType: 'Classic', workTypeCode: 'FullTime' },
      },
    ]);

    await page.getByRole('button', { name: 'Open ad' }).click();
    await section(page, title).getByText('A ward of <twelve>.').waitFor();
    expect(await section(page, title).innerText()).toContain('· AUD 80,000 ·'); // not from and to the same
    await applications(page).getByText('0 shown').waitFor();
    const name = `Nadia Okoye ${width}`;
    await frontend.apply(adsCalled(title)[0]!.id, { name, attachments: ['Resume.txt'] });
    await page.getByText(`${name} applied for “${title}”.`).waitFor();
    await applications(page).getByText('1 shown').waitFor();
    expect(await candidatesOf(page)).toEqual([name]);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Open application' }).click();
    await page.getByRole('button', { name: /^Read Resume/ }).click();
    await page.locator('.file .text').getByText(name).waitFor();
    await page.getByLabel('Next stage').selectOption('Interview');
    await page.getByLabel('Note').fill('Call on Monday.');
    await page.getByRole('button', { name: 'Move to this stage' }).click();
    const stages = section(page, 'Hiring stage');
    await stages.getByText('Amelia Hughes').waitFor();
    expect(await stages.getByRole('listitem').innerText()).toContain('Call on Monday.');
    expect(await page.getByLabel('Next stage').inputValue()).toBe('TestingOrQualificationsCheck');
    await expectAccessible(page);
  });
});

test('the form sends nothing that breaks a rule of the upstream, and leads to the field', async () => {
  const page = await openAs('Amelia Hughes', BANKSIA);
  await fillIn(page, 'Rule Keeper');
  for (const [label, wrong, right] of [
    ['Title', '', 'Rule Keeper'],
    ['From', '0', '80000'],
    ['To', '70000', '90000'],
    ['Details', '&'.repeat(3_000), 'Short.'], // 15,000 as markup, and its paragraph
    ['email', 'amelia', 'amelia@example.com'],
    ['Location', 'Nowhere', undefined],
  ] as const) {
    await page.getByLabel(label).fill(wrong);
    await post(page);
    await until(() => page.getByLabel(label).evaluate((field) => field.matches(':focus:invalid')));
    if (right !== undefined) await page.getByLabel(label).fill(right);
  }
  expect(adsCalled('Rule Keeper')).toEqual([]);
});

test('an ad that is not posted says why, and is corrected as another ad', async () => {
  const { playground } = frontend.stack;
  const page = await openAs('Amelia Hughes', BANKSIA);
  await fetch(`${playground.upstreamUrl}/playground/postings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"reason": "content"}',
  });
  await fillIn(page, 'Ward Clerk');
  await post(page);
  await page.getByText('“Ward Clerk” was not posted.').waitFor();
  expect(await page.locator('.notice code').innerText()).toContain('positionNotPostedReason');
  await page.getByRole('button', { name: 'Correct it' }).click();
  expect(await page.getByLabel('Summary').inputValue()).toBe('Care for people at night.');
  await page.getByLabel('Title').fill('Ward Clerk by Night');
  await page.getByRole('radio', { name: /^Classic/, checked: true }).waitFor();
  await post(page);
  await page.getByText('“Ward Clerk by Night” is posted.').waitFor();
});

test('a post that got no answer is sent again under the same identifier, and posts one ad', async () => {
  const page = await openAs('Amelia Hughes', BANKSIA);
  await fillIn(page, 'Theatre Nurse');
  let isCut = false;
  await page.route(`${frontend.stack.url}/graphql`, async (route) => {
    if (isCut || !route.request().postData()?.includes('"PostPosition"')) return route.continue();
    isCut = true;
    await route.fetch(); // it arrives, and its answer does not
    return route.abort();
  });
  await post(page);
  await page.getByText('You’re offline.').waitFor();
  await post(page);
  await page.getByText('“Theatre Nurse” is posted.').waitFor();
  expect(adsCalled('Theatre Nurse')).toHaveLength(1);
});

test('the list of ads has those of all pages, the newest first, and counts what is under it', async () => {
  const page = await openAs('Amelia Hughes', BANKSIA);
  const { world } = frontend.stack.playground;
  for (const statusCode of ['Closed', 'Active']) {
    await page.getByLabel('Openings').selectOption(statusCode);
    const expected = [...world.openings.values()]
      .filter((opening) => opening.hirerId === BANKSIA && opening.statusCode === statusCode)
      .flatMap(({ profileIds }) => profileIds.map((id) => world.positionProfiles.get(id)!))
      .filter(isPosted)
      .sort((a, b) => b.ad.startMs - a.ad.startMs);
    await section(page, 'Ads').getByText(`${expected.length} shown`, { exact: true }).waitFor();
    const rows = await section(page, 'Ads').getByRole('listitem').allInnerTexts();
    expect(rows.map((text) => text.split('\n')[0])).toEqual(
      expected.map(({ positionTitle }) => positionTitle),
    );
  }
});

test('applications of which the third page fails: two pages stay, the rest comes on request', async () => {
  const page = await openAs('Amelia Hughes', BANKSIA);
  const { applications: ids } = ads[BANKSIA]!;
  frontend.stack.playground.faults.add({
    field: 'Query.candidateProfile',
    code: 'INTERNAL_SERVER_ERROR',
    after: 2 * PAGE_ITEMS,
    times: PAGE_ITEMS,
  });
  await openAd(page, BANKSIA);
  await applications(page).getByText('Not all applications are shown.').waitFor();
  expect(await candidatesOf(page)).toEqual(namesOf(ids.slice(0, 2 * PAGE_ITEMS)));
  await applications(page).getByRole('button', { name: 'Try again' }).click();
  await allShown(page, BANKSIA);
  expect(await candidatesOf(page)).toEqual(namesOf(ids));
  expect(await banners(page).count()).toBe(0);
});

test('an application that fails alone leaves the others, and is counted', async () => {
  const page = await openAs('Amelia Hughes', BANKSIA);
  frontend.stack.playground.faults.add({
    field: 'Query.candidateProfile',
    code: 'INTERNAL_SERVER_ERROR',
    times: 1,
  });
  await openAd(page, BANKSIA);
  const { applications: ids } = ads[BANKSIA]!;
  await applications(page)
    .getByText(`${ids.length - 1} shown, 1 could not be read`)
    .waitFor();
  expect(await candidatesOf(page)).toEqual(namesOf(ids.slice(1)));
});

test('events are live, also after a restart of the service; those of other hirers are not told', async () => {
  const page = await openAs('Amelia Hughes', BANKSIA);
  await isLive(page);
  await frontend.stop();
  await page.getByText('Connecting…').waitFor();
  await frontend.restart();
  await isLive(page);
  await frontend.apply(frontend.adsOf(NUSANTARA)[0]!.id, { name: 'Of Another Hirer' });
  await frontend.apply(frontend.adsOf(BANKSIA)[0]!.id, { name: 'Priya Live' });
  const notice = page.getByText('Priya Live applied');
  await notice.waitFor();
  expect(await page.locator('body').innerText()).not.toContain('Of Another Hirer');
  await page.getByRole('button', { name: '1 new' }).click();
  await page.getByRole('button', { name: 'Priya Live' }).click();
  await notice.waitFor({ state: 'hidden' }); // it was opened from the list
});

test('a file is read in the page, and saved under its name; one that fails leaves the page as it is', async () => {
  const page = await openAs('Amelia Hughes', NUSANTARA);
  await isLive(page);
  const attachments = ['Resume.rtf', 'CoverLetter.txt'];
  await frontend.apply(frontend.adsOf(NUSANTARA)[0]!.id, { name: 'Dewi File', attachments });
  await page.getByRole('button', { name: 'Open application' }).click();
  const [resume, letter] = [page.locator('.file').first(), page.locator('.file').nth(1)];
  expect(await resume.getByRole('button').allInnerTexts()).toEqual(['Save']); // a page shows no such format
  await letter.getByRole('button', { name: 'Read' }).click();
  await letter.locator('.text').getByText('Dewi File').waitFor();
  frontend.stack.playground.faults.add({ route: 'attachments', status: 503 });
  await resume.getByRole('button', { name: 'Save' }).click();
  await resume.getByRole('alert').waitFor();
  const saving = page.waitForEvent('download');
  await resume.getByRole('button', { name: 'Save' }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe(await resume.locator('span').innerText());
  await download.path(); // it is complete
});

test('the upstream’s texts change with the language; a dead browser token is not noticed', async () => {
  const page = await openAs('Amelia Hughes', BANKSIA);
  await page.getByRole('button', { name: 'New ad' }).click();
  const seen: string[] = [];
  for (const language of ['English', 'Bahasa Indonesia', 'ไทย']) {
    await page.getByLabel('Language').selectOption({ label: language });
    const pay = page.getByLabel('Pay type').locator('option').first();
    await until(async () => (await pay.count()) > 0 && !seen.includes(await pay.innerText()));
    seen.push(await pay.innerText());
    // once: the service keeps a token that replaced a refused one for 5 s
    if (seen.length === 1) frontend.stack.playground.tokens.expire({ kind: 'browser' });
    await page.getByLabel('Location').fill('syd');
    await page.getByRole('list', { name: 'Suggestions' }).getByRole('button').first().waitFor();
    await page.getByLabel('Location').fill('');
  }
  expect(await banners(page).count()).toBe(0);
});

test('without a network one banner says so, and everything goes on by itself when it is back', async () => {
  const page = await openAs('Amelia Hughes', BANKSIA);
  await adsShown(page);
  await context.setOffline(true);
  await page.getByRole('button', { name: ads[BANKSIA]!.title }).click();
  await page.getByText('You’re offline.').waitFor();
  expect(await banners(page).count()).toBe(1);
  expect(await page.getByText('For support').count()).toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  await context.setOffline(false);
  await allShown(page, BANKSIA);
  await until(async () => (await banners(page).count()) === 0);
});

test('a user whose session has ended sees one message and can sign in again', async () => {
  const { playground } = frontend.stack;
  context = await frontend.browser.newContext();
  const page = await context.newPage();
  let expiresInSeconds = 5;
  await page.route(`${playground.issuerUrl}/demo/sign-in`, async (route) => {
    const access_token = await playground.signIn('amelia', { expiresInSeconds });
    expiresInSeconds = -60;
    return route.fulfill({ json: { access_token }, headers: { 'access-control-allow-origin': '*' } });
  });
  await page.goto(frontend.origin);
  await page.getByRole('button', { name: 'Amelia Hughes' }).click();
  await page.getByText('You are no longer signed in.').waitFor();
  expect(await banners(page).count()).toBe(1);
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await page.getByText('A small hiring product').waitFor();
});

test('a user who loses a hirer, or has none, sees what to do, with an id for support', async () => {
  const page = await openAs('Bayu Santoso', NUSANTARA);
  await adsShown(page);
  const membership = `${frontend.stack.opsUrl}/memberships/bayu/${encodeURIComponent(NUSANTARA)}`;
  await fetch(membership, { method: 'DELETE' });
  await page.getByRole('button', { name: ads[NUSANTARA]!.title }).click();
  await page.getByText('ask an administrator to add you').waitFor();
  expect(await banners(page).count()).toBe(1);
  expect(await banners(page).innerText()).toMatch(/For support: [\w-]{36}/);
  await fetch(membership, { method: 'PUT' });
  await context.close();
  const dora = await openAs('Dora Kelly');
  await dora.getByText('You do not belong to any hirer yet.').waitFor();
  expect(await dora.getByRole('region').count()).toBe(0);
});

test('a new ad is offered where the hirer allows posting; elsewhere a sentence says that it does not', async () => {
  const chanida = await openAs('Chanida Wongsa');
  await chanida.getByText('Chao Phraya Hotels does not allow us to post ads.').waitFor();
  expect(await chanida.getByRole('button', { name: 'New ad' }).count()).toBe(0);
});

test('an ended relationship is reported once, however many views ask', async () => {
  const page = await openAs('Amelia Hughes', BANKSIA);
  await adsShown(page);
  for (const name of ['positionProfile', 'candidateProfile']) {
    frontend.stack.playground.faults.add({ field: `Query.${name}`, code: 'FORBIDDEN', message: 'x' });
  }
  await page.getByRole('button', { name: ads[BANKSIA]!.title }).click();
  await page.getByText('This hirer does not allow us to show or do all of this').waitFor();
  await until(async () => (await page.getByText('Loading…').count()) === 0);
  expect(await banners(page).count()).toBe(1);
});

describe.each(BOTH)('what the user saw and wrote about a candidate of %s', (hirerId, next) => {
  const NOTE = `Unsent note of ${hirerId}`;
  const NAME = `Ilse Traceless ${hirerId.slice(-4)}`;

  test('is on no view of the next hirer', async () => {
    const page = await openAs('Amelia Hughes', hirerId);
    await openAd(page, hirerId);
    await allShown(page, hirerId);
    expect(await candidatesOf(page)).toEqual(namesOf(ads[hirerId]!.applications));
    await page.getByLabel('Hirer').selectOption({ label: NAMES[next] });
    await adsShown(page);
    expect(await page.locator('main').innerText()).not.toContain(ads[hirerId]!.title);
    await openAd(page, next);
    await allShown(page, next);
    expect(await candidatesOf(page)).toEqual(namesOf(ads[next]!.applications));
  });

  async function write(): Promise<Page> {
    const page = await openAs('Amelia Hughes', hirerId);
    await isLive(page);
    await frontend.apply(frontend.adsOf(hirerId)[0]!.id, { name: NAME, attachments: ['Resume.txt'] });
    await page.getByText(`${NAME} applied`).waitFor();
    await page.getByRole('button', { name: 'Open application' }).click();
    await page.getByLabel('Note').fill(NOTE);
    await page.getByRole('button', { name: /^Read Resume/ }).click();
    await page.locator('.file .text').waitFor();
    expect(await tracesOf(page, [NOTE, NAME])).toEqual([
      expect.arrayContaining(['fields']) as string[],
      expect.arrayContaining(['document']) as string[],
    ]);
    return page;
  }

  test('is in no place of the page after a switch to another hirer', async () => {
    const page = await write();
    await page.getByLabel('Hirer').selectOption({ label: NAMES[next] });
    await adsShown(page);
    expect(await tracesOf(page, [NOTE, NAME])).toEqual([[], []]);
  });

  test('nor after signing out', async () => {
    const page = await write();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Amelia Hughes' }).waitFor();
    expect(await tracesOf(page, [NOTE, NAME])).toEqual([[], []]);
  });
});
