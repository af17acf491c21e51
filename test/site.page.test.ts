import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from './support/browser.js';

const BASE = '/any/base/';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
};

let folder: string;
let server: Server;
let origin: string;
let browser: Browser;
let page: Page;
const requested: URL[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bff-site-'));
  await promisify(execFile)(process.execPath, ['scripts/site.js', folder], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://any').pathname
      .replace(BASE, '')
      .replace(/^$|\/$/, '$&index.html');
    response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
    response.end(readFileSync(join(folder, path)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchBrowser();
  page = await browser.newPage();
  page.on('request', (request) => requested.push(new URL(request.url())));
});
afterAll(async () => {
  await browser.close();
  server.close();
  rmSync(folder, { recursive: true });
});

test.each([
  ['', 'Partner BFF', 'Partner BFF'],
  ['docs/routes.html', 'Routes', 'Routes'],
  ['docs/openapi-ops.html', 'The ops listener', 'The ops listener'],
])('the page %s is shown, with its place in the sidebar', async (path, heading, entry) => {
  await page.goto(origin + BASE + path);
  expect(await page.textContent('h1')).toBe(heading);
  expect(await page.textContent('nav [aria-current]')).toBe(entry);
});

test('a word is found, and leads to its section', async () => {
  await page.goto(`${origin}${BASE}docs/ops.html`);
  await page.fill('search input', 'redeliver');
  await page.click('search li a');
  expect(await page.textContent('main')).toMatch(/redeliver/i);
});

test('the theme that is chosen is that of the next page too', async () => {
  await page.goto(`${origin}${BASE}docs/routes.html`);
  await page.click('#theme');
  await page.goto(`${origin}${BASE}docs/ops.html`);
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark');
});

test('no page asked another host, or for something outside the site', () => {
  expect(requested.length).toBeGreaterThan(10);
  const own = requested.filter(({ protocol }) => protocol !== 'data:');
  expect([...new Set(own.map((url) => url.origin))]).toEqual([origin]);
  expect(own.filter(({ pathname }) => !pathname.startsWith(BASE))).toEqual([]);
});
