import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { decodeJwt } from 'jose';
import Provider from 'oidc-provider';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../test/support/browser.js';
import { portOf } from '../../test/support/machine.js';
import { until } from '../../test/support/until.js';
import { servePage } from './page-server.js';
import { openProject } from './project.js';

jest.setTimeout(180_000); // a bundler and a browser on a busy machine

const SAMPLE = /```ts\n(\/\/ oidc-client-ts[\s\S]*?)```/.exec(readFileSync('docs/frontends.md', 'utf8'))![1]!;
const TOKEN_SECONDS = 2;
const RESOURCE = 'https://bff.partner.example';

type GetToken = (asked: { refresh: boolean }) => Promise<string>;
interface SignedIn {
  getUserToken: GetToken;
}

let browser: Browser;
let appOrigin: string;
let provider: Provider;
let givesRefreshTokens = false;
let report: string;
let page: Page;

/** The sample at this provider, whose tokens name a resource, as the page says below it. */
function atProvider(origin: string): string {
  const resource = `resource: '${RESOURCE}'`;
  return SAMPLE.replace('https://login.partner.example/realms/hiring', origin)
    .replace('automaticSilentRenew', `${resource}, extraTokenParams: { ${resource} }, automaticSilentRenew`)
    .replace('signinSilent()', `signinSilent({ ${resource} })`);
}

beforeAll(async () => {
  for (const level of ['warn', 'info'] as const) jest.spyOn(console, level).mockReturnValue(); // the provider, of its defaults
  let script = '';
  appOrigin = await servePage(() => script);
  const server = createServer((request, response) => void provider.callback()(request, response));
  const origin = `http://127.0.0.1:${await portOf(server)}`;
  provider = new Provider(origin, {
    clients: [
      {
        client_id: 'hiring-frontend',
        token_endpoint_auth_method: 'none',
        redirect_uris: [`${appOrigin}/signed-in`],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    clientBasedCORS: () => true,
    issueRefreshToken: async () => givesRefreshTokens,
    features: {
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: '',
          audience: RESOURCE,
          accessTokenFormat: 'jwt',
          accessTokenTTL: TOKEN_SECONDS,
        }),
      },
    },
    cookies: { keys: ['a key of this suite'] },
  });
  const module = `${atProvider(origin)}
    Object.assign(globalThis, { getUserToken });`;
  const project = await openProject();
  report = await project.check(module);
  script = await project.bundle(module);
  browser = await launchBrowser();
});
beforeEach(async () => (page = await (await browser.newContext()).newPage()));
afterEach(() => page.context().close());

const token = (refresh = false): Promise<string> =>
  page.evaluate((asked) => (globalThis as unknown as SignedIn).getUserToken({ refresh: asked }), refresh);

/** Asks for a token, which leads to the provider. */
const leave = (refresh: boolean): Promise<void> =>
  page.evaluate((asked) => {
    void (globalThis as unknown as SignedIn).getUserToken({ refresh: asked }).catch(() => undefined);
  }, refresh);

async function signIn(): Promise<void> {
  await page.waitForSelector('input[name=login]');
  await page.fill('input[name=login]', 'amelia');
  await page.fill('input[name=password]', 'anything');
  await page.click('button[type=submit]');
  await page.waitForSelector('input[name=prompt][value=consent]', { state: 'attached' });
  await page.click('button[type=submit]');
  await isOpen();
}

async function isOpen(): Promise<void> {
  await page.waitForURL(`${appOrigin}/`);
  await page.waitForFunction(() => 'getUserToken' in globalThis);
}

test('the sample has no fault of types', () => expect(report).toBe(''));

describe.each([
  ['in a hidden frame', false],
  ['by a refresh token', true],
])('an OpenID provider that renews %s', (_way, refreshTokens) => {
  beforeEach(async () => {
    givesRefreshTokens = refreshTokens;
    await page.goto(appOrigin);
    await page.waitForFunction(() => 'getUserToken' in globalThis);
    await leave(false);
    await signIn();
  });

  test('signs a user in, who stays so when the page is loaded again', async () => {
    const first = await token();
    expect(decodeJwt(first).aud).toBe(RESOURCE);
    await page.reload();
    await isOpen();
    expect(await token()).toBe(first);
  });

  test('gives another token without the user when it is asked to, once for all that ask', async () => {
    const first = await token();
    const [one, other] = await Promise.all([token(true), token(true)]);
    expect(decodeJwt(one).aud).toBe(RESOURCE);
    expect(one).not.toBe(first);
    expect(other).toBe(one);
    expect(page.url()).toBe(`${appOrigin}/`);
  });

  test('gives another token without the user when one has ended', async () => {
    const first = await token();
    await until(async () => (await token()) !== first);
    expect(page.url()).toBe(`${appOrigin}/`);
  });

  test('has the user sign in again when it refuses to renew', async () => {
    const first = await token();
    await page.context().clearCookies();
    const stored = await page.evaluate(() => Object.values(sessionStorage).join());
    const [, refreshToken] = /"refresh_token":"([^"]+)"/.exec(stored) ?? [];
    expect(refreshToken !== undefined).toBe(refreshTokens);
    if (refreshToken !== undefined) await (await provider.RefreshToken.find(refreshToken))!.destroy();
    await leave(true);
    await signIn();
    expect(await token()).not.toBe(first);
  });
});
