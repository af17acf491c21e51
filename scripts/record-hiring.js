import { writeFileSync } from 'node:fs';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { chromium } from 'playwright-core';

/**
 * `node scripts/record-hiring.js`: makes docs/hiring.png again, an animated PNG of the hiring flow. The service and the
 * example frontend run, and the playground takes changes, as examples/frontend/README.md says.
 */
const { EXAMPLE = 'http://localhost:5173', PLAYGROUND = 'http://localhost:3010' } = process.env;
const SIZE = { width: 880, height: 620 };
const TITLE = 'Night Shift Nurse';

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await browser.newPage({ viewport: SIZE, locale: 'en-AU', reducedMotion: 'reduce' });
page.setDefaultTimeout(10_000);
const frames = [];
const keep = async (ms) => frames.push({ ms, png: await page.screenshot() });
const field = (label) => page.getByLabel(label);
const press = (name) => page.getByRole('button', { name }).click();
const view = (name) => page.getByRole('region', { name, exact: true });

await page.goto(EXAMPLE);
await field('Language').waitFor();
await keep(1_200);
await press('Amelia Hughes');
await field('Hirer').selectOption({ label: 'Banksia Health Group' });
await view('Ads')
  .getByText(/^\d+ shown$/)
  .waitFor();
await keep(1_800);
await press('New ad');
await field('Title').fill(TITLE);
await field('Location').pressSequentially('melb');
await page
  .getByRole('option', { name: /Melbourne/ })
  .first()
  .waitFor();
await keep(1_200);
await page
  .getByRole('option', { name: /Melbourne/ })
  .first()
  .click();
await field('Category').pressSequentially('nurs');
await page.getByRole('option', { name: /Nurs/ }).first().click();
await field('From').fill('80000');
await field('Summary').fill('Care for people at night.');
await field('Details').fill('A ward of twelve, nights and weekends.');
await keep(1_500);
await field('E-mail').fill('amelia@example.com');
await page.getByRole('checkbox', { name: /^May you work/ }).check();
await page.getByRole('radio', { name: /^Classic/ }).check();
await keep(1_500);
await press('Post ad');
await page.getByText(`“${TITLE}” is posted.`).waitFor();
await keep(2_000);
await press('Open ad');
await view(TITLE).waitFor();
const { positionProfileId } = await newestAd();
await ask('/playground/applications', {
  positionProfileId,
  name: 'Nadia Okoye',
  attachments: ['Resume.docx', 'CoverLetter.txt'],
});
await page.getByText('Nadia Okoye applied').first().waitFor();
await keep(2_000);
await press('Open application');
await view('Answers').waitFor();
await keep(2_000);
await press(/^Read CoverLetter/);
await page.frameLocator('iframe[title^=CoverLetter]').getByText('Nadia Okoye').first().waitFor();
await keep(2_000);
await field('Next step').selectOption('Interview');
await field('Note').fill('Call on Monday.');
await press('Move along');
await view('Process').getByText('Amelia Hughes').waitFor();
await keep(2_500);
await browser.close();
writeFileSync('docs/hiring.png', animate(frames));

/** The newest ad of the playground that takes applications. */
async function newestAd() {
  const [ad] = (await ask('/playground/applications')).ads;
  return ad;
}

async function ask(path, body) {
  const init = body && {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(PLAYGROUND + path, init);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** An animated PNG of frames of one size (PNG, third edition, 11.3.4). */
function animate(shots) {
  let sequence = 0;
  const numbered = (bytes) => Buffer.concat([uint32(sequence++), bytes]);
  const chunks = [chunk('IHDR', part(shots[0].png, 'IHDR'))];
  chunks.push(chunk('acTL', Buffer.concat([uint32(shots.length), uint32(0)])));
  for (const [index, { ms, png }] of shots.entries()) {
    const timing = Buffer.from([ms >> 8, ms & 255, 1_000 >> 8, 1_000 & 255, 0, 0]);
    const place = Buffer.concat([SIZE.width, SIZE.height, 0, 0].map(uint32));
    chunks.push(chunk('fcTL', numbered(Buffer.concat([place, timing]))));
    const data = deflateSync(inflateSync(part(png, 'IDAT')), { level: 9 });
    chunks.push(index === 0 ? chunk('IDAT', data) : chunk('fdAT', numbered(data)));
  }
  return Buffer.concat([shots[0].png.subarray(0, 8), ...chunks, chunk('IEND', Buffer.alloc(0))]);
}

/** The content of all chunks of a type. */
function part(png, type) {
  const found = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === type) {
      found.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
    }
  }
  return Buffer.concat(found);
}

function chunk(type, content) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  return Buffer.concat([uint32(content.length), body, uint32(crc32(body))]);
}

function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
