/* eslint-disable max-lines -- one page, as its users go through it */
import type { BrowserContext, Page } from 'playwright-core';
import { isLive } from '../../playground/src/data/positions/position-records.js';
import { BANKSIA, NUSANTARA } from '../proxy/proxy-stack.js';
import { until } from '../support/until.js';
import { violationsOf } from '../support/browser.js';
import { openFrontend, overflowOf, section, tracesOf, type Frontend } from './frontend-page.js';

jest.setTimeout(90_000); // a browser on a busy machine

const BANKSIA_NAME = 'Banksia Health Group';
const NUSANTARA_NAME = 'Nusantara Logistics';

let frontend: Frontend;
let context: BrowserContext;

beforeAll(async () => {
  frontend = await openFrontend();
}, 180_000); // npm, a compiler and a bundler, one after another
afterAll(() => frontend.close());
afterEach(async () => {
  await context.close();
  frontend.stack.playground.faults.clear();
});

async function open(hirer: string, options: Parameters<Frontend['browser']['newContext']>[0] = {}) {
  context = await frontend.browser.newContext({ locale: 'en-AU', ...options });
  return frontend.openAs(context, 'Amelia Hughes', hirer);
}

/** Fills in an ad for which products and questions are offered, and waits for them. */
async function fillIn(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'New ad' }).click();
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Location').pressSequentially('melb');
  await page.locator('[role=option]', { hasText: 'Melbourne' }).first().click();
  await page.getByLabel('Category').pressSequentially('nurs');
  await page.locator('[role=option]', { hasText: 'Nurs' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByLabel('From').fill('80000');
  await page.getByLabel('Summary').fill('Care for people at night.');
  await page.getByLabel('Details').fill('A ward of <twelve>.\n\nNights & weekends.');
  await page.getByLabel('E-mail').fill('amelia@example.com');
  await page.getByRole('radio', { name: /^Classic/ }).check();
}

/** What the playground holds under a title, the newest. */
const adCalled = (title: string) =>
  [...frontend.stack.playground.world.positionProfiles.values()].findLast((ad) => ad.positionTitle === title);

async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
}

describe.each([
  [1280, 'light'],
  [360, 'dark'],
] as const)('at %i px, %s', (width, colorScheme) => {
  const screen = { viewport: { width, height: 800 }, colorScheme };

  test('an ad is posted, a candidate applies and is moved along: each view without a violation', async () => {
    const title = `Night Nurse ${width}`;
    const page = await open(BANKSIA_NAME, screen);
    await section(page, 'Ads')
      .getByText(/^\d+ shown$/)
      .waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New ad' }).click();
    await page.getByRole('button', { name: 'Post ad' }).click();
    await page.getByText('Some fields need your attention.').waitFor();
    await until(() => page.getByLabel('Title').evaluate((field) => field === document.activeElement));
    await page.getByLabel('Details').fill('&'.repeat(3_000)); // 15,000 as markup, and its paragraph
    expect(await page.getByLabel('Details').getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();

    await fillIn(page, title);
    await page.getByRole('checkbox', { name: /^May you work in this country/ }).check();
    await page.getByRole('button', { name: 'Preview' }).click();
    expect(await page.getByRole('link', { name: /^Open the preview/ }).getAttribute('href')).toMatch(
      /^https:/,
    );
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Post ad' }).click();
    await page.getByText(`Posting “${title}”…`).waitFor();
    await page.getByText(`“${title}” is posted.`).waitFor();
    expect(adCalled(title)).toMatchObject({
      hirerId: BANKSIA,
      remuneration: { ranges: [{ intervalCode: 'Year', minimumAmount: { currency: 'AUD', value: 80_000 } }] },
      descriptions: [
        {
          descriptionId: 'AdvertisementDetails',
          content: '<p>A ward of &lt;twelve&gt;.</p><p>Nights &amp; weekends.</p>',
        },
        { descriptionId: 'SearchSummary', content: 'Care for people at night.' },
      ],
      ad: { adType: 'Classic', workTypeCode: 'FullTime', questionnaireId: expect.stringContaining(':') },
    });

    await page.getByRole('button', { name: 'Open ad' }).click();
    await section(page, title).getByText('A ward of <twelve>.').waitFor();
    expect(await section(page, title).innerText()).toContain('· $80,000 ·'); // not from and to the same
    expect(await section(page, 'Applications').getByRole('status').innerText()).toBe('None');
    const name = `Nadia Okoye ${width}`;
    await frontend.apply(adCalled(title)!.id, { name, attachments: ['Resume.txt', 'CoverLetter.txt'] });
    await page.getByText(`${name} applied for “${title}”.`).waitFor();
    await section(page, 'Applications').getByText('1 shown').waitFor();
    expect(await section(page, 'Applications').getByRole('listitem').innerText()).toContain(name);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Open application' }).click();
    await section(page, 'Answers').getByText('May you work in this country?').waitFor();
    for (const file of ['Resume', 'CoverLetter']) {
      await page.getByRole('button', { name: new RegExp(`^Read ${file}`) }).click();
      const frame = page.frameLocator(`iframe[title^=${file}][sandbox=""]`);
      await frame.getByText(name).first().waitFor();
    }
    await page.getByLabel('Next step').selectOption('Interview');
    await page.getByLabel('Note').fill('Call on Monday.');
    await page.getByRole('button', { name: 'Move along' }).click();
    await section(page, 'Process').getByText('Amelia Hughes').waitFor();
    expect(await section(page, 'Process').getByRole('listitem').innerText()).toContain('Call on Monday.');
    expect(await page.getByLabel('Next step').inputValue()).toBe('TestingOrQualificationsCheck');
    await expectAccessible(page);
  });
});

test('the list of active ads has those that are live, each opening once; what ended before is folded away', async () => {
  const { world, clock } = frontend.stack.playground;
  const own = [...world.openings.values()].filter(({ hirerId }) => hirerId === BANKSIA);
  const active = own.filter(({ statusCode }) => statusCode === 'Active');
  const profilesOf = (openings: typeof own) =>
    openings.flatMap(({ profileIds }) => profileIds.map((id) => world.positionProfiles.get(id)!));
  const ended = profilesOf(own).find((ad) => ad.ad !== null && !isLive(ad, clock.now()));
  active[0]!.profileIds.unshift(ended!.id);
  const live = profilesOf(active).filter((ad) => isLive(ad, clock.now()));
  const page = await open(BANKSIA_NAME);
  const list = section(page, 'Ads');
  await list.getByText(/^\d+ shown$/).waitFor();
  expect(await list.getByRole('listitem').count()).toBe(active.length);
  expect(await list.getByRole('button', { name: /Live until/ }).count()).toBe(live.length);
  expect(await list.getByRole('button', { name: /Ended on/ }).count()).toBe(0); // those of a closed fold
  const folds = list.getByText(/^Earlier ads: \d$/);
  expect(await folds.count()).toBeGreaterThan(0);
  await folds.first().click();
  await list
    .getByText(/Ended on/)
    .first()
    .waitFor();

  await page.getByLabel('Show').selectOption('Closed');
  const closed = own.filter(({ statusCode }) => statusCode === 'Closed');
  await list.getByText(`${closed.length} shown`).waitFor();
  expect(await list.getByRole('button', { name: /Live until/ }).count()).toBe(0);
});

test('an ad that is not posted says why, and is corrected under the same opening', async () => {
  const { playground } = frontend.stack;
  const page = await open(BANKSIA_NAME);
  await fetch(`${playground.upstreamUrl}/playground/postings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"reason": "content"}',
  });
  await fillIn(page, 'Ward Clerk');
  await page.getByRole('button', { name: 'Post ad' }).click();
  await page.getByText('“Ward Clerk” was not posted.').waitFor();
  expect(await page.locator('.notice code').innerText()).toContain('positionNotPostedReason');
  await page.getByRole('button', { name: 'Correct and post' }).click();
  expect(await page.getByLabel('Summary').inputValue()).toBe('Care for people at night.');
  const refused = adCalled('Ward Clerk')!;
  await page.getByLabel('Title').fill('Ward Clerk by Night');
  await page.getByRole('button', { name: 'Post ad' }).click();
  await page.getByText('“Ward Clerk by Night” is posted.').waitFor();
  expect(adCalled('Ward Clerk by Night')!.openingId).toBe(refused.openingId);
});

test('a post that got no answer is sent again under the same identifier, and posts one ad', async () => {
  const page = await open(BANKSIA_NAME);
  await fillIn(page, 'Theatre Nurse');
  let isCut = false;
  await page.route(`${frontend.stack.url}/graphql`, async (route) => {
    if (isCut || !route.request().postData()?.includes('"PostPosition"')) return route.continue();
    isCut = true;
    await route.fetch(); // it arrives, and its answer does not
    return route.abort();
  });
  await page.getByRole('button', { name: 'Post ad' }).click();
  await page.getByText('There is no connection.').waitFor();
  await page.getByRole('button', { name: 'Post ad' }).click();
  await page.getByText('“Theatre Nurse” is posted.').waitFor();
  const { positionProfiles } = frontend.stack.playground.world;
  expect([...positionProfiles.values()].filter((ad) => ad.positionTitle === 'Theatre Nurse')).toHaveLength(1);
});

test('a live ad is changed without losing what the form does not show, and closed', async () => {
  const [profile] = frontend.adsOf(BANKSIA);
  profile!.ad.video = { url: 'https://youtu.be/abc', seekAnzPositionCode: 'Below' };
  Object.assign(profile!, {
    seekBillingReference: 'Invoice 7',
    positionTitle: 'Shift Lead',
    seekHirerJobReference: 'SL-1',
  });
  const before = structuredClone(profile!);
  const page = await open(BANKSIA_NAME);
  await page.getByRole('button', { name: 'Shift Lead' }).click();
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Title').fill('Shift Leader');
  await page.getByRole('radio', { checked: true }).waitFor();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('“Shift Leader” is changed.').waitFor();
  expect(profile).toMatchObject({
    ...before,
    positionTitle: 'Shift Leader',
    positionFormattedDescriptions: expect.arrayContaining([...before.positionFormattedDescriptions]),
    ad: { ...before.ad, adType: expect.any(String) },
  });
  await section(page, 'Shift Leader').getByRole('button', { name: 'Close ad' }).click();
  await page.getByRole('button', { name: 'Yes, close it' }).click();
  await page.getByText('“Shift Leader” is closed.').waitFor();
  await section(page, 'Shift Leader')
    .getByText(/^Ended on/)
    .waitFor();
});

test('a notice of an application goes when it is opened from the list of the ad, too', async () => {
  const page = await open(BANKSIA_NAME);
  const [ad] = frontend.adsOf(BANKSIA);
  await page.getByText('Live', { exact: true }).waitFor();
  await frontend.apply(ad!.id, { name: 'Ines Listed' });
  const notice = page.getByText('Ines Listed applied for');
  await notice.waitFor();
  await page.getByRole('button', { name: '1 new' }).click();
  await page.getByRole('button', { name: 'Ines Listed' }).click();
  await section(page, 'Process').waitFor();
  await notice.waitFor({ state: 'hidden' });
});

test('several profiles of one person are told apart, and lead to each other', async () => {
  const page = await open(BANKSIA_NAME);
  await page.getByText('Live', { exact: true }).waitFor();
  const [one, other] = frontend.adsOf(BANKSIA);
  const { candidateId } = await frontend.apply(one!.id, { name: 'Tam Nguyen' });
  await frontend.apply(other!.id, { candidateId });
  await page.getByText(`Tam Nguyen applied for “${other!.positionTitle}”.`).waitFor();
  await page.getByRole('button', { name: 'Open application' }).click();
  const link = page.getByRole('button', { name: new RegExp(`^Applied · ${one!.positionTitle} · `) });
  await link.click();
  await page.getByRole('button', { name: new RegExp(`^Applied · ${other!.positionTitle} · `) }).waitFor();
  expect(await section(page, 'Tam Nguyen').innerText()).toContain(`${one!.positionTitle}, `);
});

describe.each([
  [BANKSIA, BANKSIA_NAME, NUSANTARA_NAME],
  [NUSANTARA, NUSANTARA_NAME, BANKSIA_NAME],
])('what the user saw and wrote about a candidate of %s', (hirerId, own, next) => {
  const NOTE = `Unsent note of ${hirerId}`;
  const NAME = `Ilse Traceless ${hirerId.slice(-4)}`;

  async function write(): Promise<Page> {
    const page = await open(own);
    await page.getByText('Live', { exact: true }).waitFor();
    await frontend.apply(frontend.adsOf(hirerId)[0]!.id, { name: NAME, attachments: ['Resume.txt'] });
    await page.getByText(`${NAME} applied`).waitFor();
    await page.getByRole('button', { name: 'Open application' }).click();
    await page.getByLabel('Note').fill(NOTE);
    await page.getByRole('button', { name: /^Read Resume/ }).click();
    await page.locator('iframe').waitFor();
    expect(await tracesOf(page, [NOTE, NAME])).toEqual([
      expect.arrayContaining(['fields']) as string[],
      expect.arrayContaining(['document']) as string[],
    ]);
    return page;
  }

  test('is in no place of the page after a switch to another hirer', async () => {
    const page = await write();
    await page.getByLabel('Hirer').selectOption({ label: next });
    await section(page, 'Ads')
      .getByText(/^\d+ shown$/)
      .waitFor();
    expect(await tracesOf(page, [NOTE, NAME])).toEqual([[], []]);
  });

  test('nor after signing out', async () => {
    const page = await write();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Amelia Hughes' }).waitFor();
    expect(await tracesOf(page, [NOTE, NAME])).toEqual([[], []]);
  });
});
