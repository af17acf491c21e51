import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { build, copyExample } from '../../client/test/project.js';
import {
  isLive,
  isPosted,
  type PostedProfile,
} from '../../playground/src/data/positions/position-records.js';
import type { Service } from '../../src/service.js';
import { endsWithSuite, newFolder, portOf } from '../support/machine.js';
import { launchBrowser } from '../support/browser.js';
import { startAgain, startStack, type Stack } from '../support/start-stack.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

/** The example as a partner would have it: built from a copy, served, and open in a browser. */
export interface Frontend {
  readonly stack: Stack;
  /** Of the copy; what is served is in `dist`. */
  readonly folder: string;
  readonly browser: Browser;
  readonly origin: string;
  /** A tab in which a user is signed in. */
  openAs(context: BrowserContext, name: string, hirer?: string): Promise<Page>;
  /** Ads of a hirer that take applications, the newest first. */
  adsOf(hirerId: string): PostedProfile[];
  /** Makes a candidate apply; the event reaches the service as upstream. */
  apply(positionProfileId: string, wish?: object): Promise<Record<string, string>>;
  /** Stops the service, and starts it again on its ports. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Builds and serves the example before a stack whose data mutations change and whose events arrive.
 * @param known writes what the back end knows, from the ids in the playground
 */
export async function openFrontend(
  known: (stack: Stack, adsOf: Frontend['adsOf']) => Readonly<Record<string, readonly string[]>>,
): Promise<Frontend> {
  let folder = '';
  const server = createServer((request, response) => {
    const file = request.url === '/' ? '/index.html' : request.url!;
    response.setHeader('content-type', TYPES[extname(file)]!).end(readFileSync(join(folder, 'dist', file)));
  });
  const origin = `http://127.0.0.1:${await portOf(server)}`;
  const stack = await startStack(
    {
      CORS_ORIGINS: origin,
      RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
      END_USER_CLOCK_SKEW_SECONDS: '0',
      DATA_DIR: newFolder(),
    },
    { switches: { mutations: 'stateful', postingDelayMs: 300 } },
  );
  const { playground, url, environment } = stack;
  playground.subscribe({ url: `${url}/webhooks`, secret: environment['WEBHOOK_SECRETS']! });
  folder = await copyExample('examples/frontend');
  const adsOf: Frontend['adsOf'] = (hirerId) =>
    [...playground.world.positionProfiles.values()]
      .filter(isPosted)
      .filter((ad) => ad.hirerId === hirerId && isLive(ad, playground.clock.now()))
      .filter(({ ad }) => ad.applicationUri === null)
      .sort((a, b) => b.ad.startMs - a.ad.startMs);
  const file = join(folder, 'src', 'applications', 'applications.json');
  writeFileSync(file, JSON.stringify(known(stack, adsOf)));
  await build(folder, {
    VITE_SERVICE_URL: url,
    VITE_UPSTREAM_URL: playground.upstreamUrl,
    VITE_SIGN_IN_URL: `${playground.issuerUrl}/demo/sign-in`,
  });
  const browser = await launchBrowser();
  let service: Service = stack.service;
  return {
    stack,
    folder,
    browser,
    origin,
    openAs: async (context, name, hirer) => {
      const page = await context.newPage();
      await page.goto(origin);
      await page.getByRole('button', { name }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      if (hirer !== undefined) await page.getByLabel('Hirer').selectOption({ label: hirer });
      return page;
    },
    adsOf,
    apply: async (positionProfileId, wish = {}) => {
      const response = await fetch(`${playground.upstreamUrl}/playground/applications`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ positionProfileId, ...wish }),
      });
      const answer = (await response.json()) as Record<string, string>;
      if (response.status !== 200) throw new Error(JSON.stringify(answer));
      return answer;
    },
    restart: async () => {
      service = await startAgain(stack, endsWithSuite);
    },
    stop: () => service.close(),
    close: async () => {
      await browser.close();
      await service.close();
      await stack.close();
    },
  };
}

/** How much wider the page is than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}

/** Where each of these texts is in what a page keeps: document, fields, storage. */
export async function tracesOf(page: Page, texts: readonly string[]): Promise<string[][]> {
  const kept = {
    document: await page.content(),
    fields: await page.evaluate<string>(FIELDS),
    storage: await page.evaluate<string>(STORAGE),
  };
  const places = Object.entries(kept);
  return texts.map((text) => places.filter(([, content]) => content.includes(text)).map(([place]) => place));
}

const FIELDS = `[...document.querySelectorAll('input, textarea')].map(({ value }) => value).join('\\n')`;
const STORAGE = `JSON.stringify([
  Object.entries(localStorage), Object.entries(sessionStorage), document.cookie, history.state, location.href, name,
])`;

/** A view by its heading. */
export const section = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
