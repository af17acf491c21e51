import type { Browser } from 'playwright-core';
import { loadConfig } from '../../src/config/load-config.js';
import { seedMemberships, subscribeToEvents } from '../../src/playground-mode/environment.js';
import { startService, type Service } from '../../src/service.js';
import { openLog } from '../../src/telemetry/log.js';
import { demoPageRoutes } from '../../playground/src/demo-page/demo-page-routes.js';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { launchBrowser } from './browser.js';
import { serviceEnvironment } from './start-stack.js';

/** A service in playground mode, on free ports, with a browser to look at its demo page. */
export interface DemoPage {
  readonly playground: Playground;
  readonly service: Service;
  readonly browser: Browser;
  close(): Promise<void>;
}

/** Starts all three, with the demo users' memberships, a subscription to events and the playground's event sink. */
export async function openDemoPage(): Promise<DemoPage> {
  const playground = await startPlayground({ port: 0 });
  const overrides = { ...playground.sinkSettings, UPSTREAM_TIMEOUT_MS: '1000' };
  const config = loadConfig(serviceEnvironment(playground, overrides));
  const log = openLog({ LOG_LEVEL: 'fatal' });
  const service: Service = await startService(
    config,
    log,
    demoPageRoutes(playground, () => service.opsUrl),
  );
  await seedMemberships(service, playground);
  subscribeToEvents(service, playground, config);
  const browser = await launchBrowser();
  return {
    playground,
    service,
    browser,
    close: async () => {
      await browser.close();
      await service.close();
      await playground.close();
    },
  };
}
