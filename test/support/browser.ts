import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { loadConfig } from '../../src/config/load-config.js';
import { joinPlayground } from '../../src/playground-mode/environment.js';
import { startService, type Service } from '../../src/service.js';
import { openLog } from '../../src/telemetry/log.js';
import type * as DemoPageModule from '../../playground/src/demo-page/demo-page-routes.js';
import type { Playground } from '../../playground/src/playground.js';
import { builtPlayground } from './start-process.js';
import { endsByItself } from './machine.js';
import { openPlayground, serviceEnvironment } from './start-stack.js';

/** From the build, where the browser package is compiled beside it. */
const file = join(builtPlayground(), 'dist/demo-page/demo-page-routes.js');
export const { demoPageRoutes } = (await import(file)) as typeof DemoPageModule;

/** Beside those that Playwright sets. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic'];

/**
 * A headless Chromium for one suite: that of `CHROMIUM_PATH`, else the system's.
 * @throws Error that says how to install one; a page that was not looked at is not tested
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error(
      `There is no Chromium at ${executablePath}. Install it (Debian: apt-get install -y chromium), or name one in CHROMIUM_PATH.`,
    );
  }
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  endsByItself(() => browser.close());
  return browser;
}

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

/** What axe finds wrong, as `rule: element`. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  return page.evaluate<string[]>(`
    axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
}

/** A service in playground mode, on free ports, with a browser to look at its demo page. */
export interface DemoPage {
  readonly playground: Playground;
  readonly service: Service;
  readonly browser: Browser;
}

/** Starts all three, with the demo users' memberships, a subscription to events and the playground's event sink. */
export async function openDemoPage(): Promise<DemoPage> {
  const playground = await openPlayground({ size: 100 });
  const overrides = { ...playground.sinkSettings, UPSTREAM_TIMEOUT_MS: '1000' };
  const config = loadConfig(serviceEnvironment(playground, overrides));
  const log = openLog({ LOG_LEVEL: 'fatal' });
  const service: Service = await startService(
    config,
    log,
    demoPageRoutes(playground, () => service.opsUrl),
  );
  endsByItself(() => service.close());
  await joinPlayground(service, playground, config);
  return { playground, service, browser: await launchBrowser() };
}
