import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import supertest from 'supertest';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { launchBrowser } from '../support/browser.js';

jest.setTimeout(30_000); // a browser on a busy machine

describe('the pages of the playground in a browser', () => {
  let playground: Playground;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    playground = await startPlayground({ port: 0 });
    browser = await launchBrowser();
    page = await browser.newPage();
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  });
  afterAll(async () => {
    await browser.close();
    await playground.close();
  });

  test.each(['/', '/calls', '/happenings'])('%s fits a screen of 360 pixels', async (path) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(playground.upstreamUrl + path, { waitUntil: 'networkidle' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(complaints).toEqual([]);
  });

  test.each(['/', '/calls', '/happenings'])('%s is dark where the reader wants that', async (path) => {
    const groundIn = async (colorScheme: 'light' | 'dark'): Promise<unknown> => {
      await page.emulateMedia({ colorScheme });
      return page.evaluate('getComputedStyle(document.body).backgroundColor');
    };
    await page.goto(playground.upstreamUrl + path);
    expect(await groundIn('light')).toBe('rgb(250, 249, 246)');
    expect(await groundIn('dark')).toBe('rgb(19, 21, 25)');
  });

  test('the explorer names each link by its operation, once for each kind of token', async () => {
    await page.goto(playground.upstreamUrl);
    const links = page.getByRole('list').getByRole('link');
    const names = await links.evaluateAll((all) =>
      all.map((link) => link.getAttribute('aria-label') ?? link.textContent),
    );
    expect(names).toEqual(expect.arrayContaining(['location', 'location as Banksia Health Group', 'event']));
    expect(names).not.toContain('event as Banksia Health Group');
    expect(new Set(names).size).toBe(names.length);
  });

  test('the call log shows a call with its ids, and finds it by them', async () => {
    const requestId = '5b0b1b0e-7d5c-4a86-9f2e-1f2f7a7e9d11';
    const send = (query: string) => supertest(playground.upstreamUrl).post('/graphql').send({ query });
    await send('{ version }').set('X-Request-Id', requestId);
    await send('{ self { partner { name } } }');
    await page.goto(`${playground.upstreamUrl}/calls`);
    const calls = page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
    await calls.nth(1).waitFor();
    expect(await calls.first().innerText()).toContain('Query.self');
    await page.getByLabel('Session or request id').fill(requestId);
    await page.getByText('1 of 2 calls').waitFor();
    await calls.first().locator('summary').click();
    expect(await calls.first().innerText()).toMatch(
      new RegExp(`Query\\.version[^]*Request id\\s+${requestId}`),
    );
    expect(complaints).toEqual([]);
  });

  test('the call log shows the webhooks that were sent, what each receiver answered, and nothing of their secret', async () => {
    const receiver = createServer((_, response) => response.writeHead(410).end()).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
    playground.subscribe({ url, secret: 'a-secret-of-the-page-test' });
    playground.events.emit('PositionProfilePosted');
    await page.goto(`${playground.upstreamUrl}/calls`);
    await page.getByLabel('Route').selectOption('webhooks sent');
    const webhook = page.getByRole('list', { name: 'Calls' }).getByRole('listitem').first();
    await webhook.getByText('PositionProfilePosted').first().waitFor();
    expect(await webhook.innerText()).toMatch(new RegExp(`Webhook to ${url}\\s+410`));
    expect(await page.content()).not.toContain('a-secret-of-the-page-test');
    receiver.close();
    expect(complaints).toEqual([]);
  });
});
