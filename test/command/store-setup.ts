import { join } from 'node:path';
import { newFolder, freePort } from '../support/machine.js';
import type { Playground } from '../../playground/src/playground.js';
import type { Environment } from '../../src/config/load-config.js';
import type { Service } from '../../src/service.js';
import {
  askToken,
  type Json,
  openPlayground,
  startSilently,
  serviceEnvironment,
} from '../support/start-stack.js';
import { json, startJsonServer, type JsonServer, webhookSettings } from '../support/json-server.js';
import { runCommand } from '../support/start-process.js';
import type { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

export const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';
export const WEBHOOK_SECRET = 'a-webhook-secret-of-this-suite';

/** What a route of the ops listener answers. */
export async function get(service: Service, path: string): Promise<Json> {
  return (await fetch(`${service.opsUrl}${path}`)).json();
}

/** Opens a playground and a sink for a suite of commands, and a store for each of its tests. */
export function useStore(database: { open: () => Promise<TestDatabase>; isServer: boolean }): Store {
  const store = new Store();
  beforeAll(() => store.open());
  beforeEach(() => store.begin(database));
  return store;
}

/** The settings of a service and of commands on the same store. */
class Store {
  playground!: Playground;
  sink!: JsonServer;
  /** For files of a test. */
  folder!: string;
  environment!: Environment;

  async open(): Promise<void> {
    this.playground = await openPlayground({ size: 20 });
    this.sink = await startJsonServer(json({}));
  }

  async begin({ open, isServer }: Parameters<typeof useStore>[0]): Promise<void> {
    const database = await open();
    this.folder = newFolder();
    this.environment = serviceEnvironment(this.playground, {
      ...(isServer ? database.settings : { DATA_DIR: join(this.folder, 'data') }),
      OPS_PORT: String(await freePort()),
      ...webhookSettings(WEBHOOK_SECRET, this.sink),
    });
  }

  start(overrides: Environment = {}): Promise<Service> {
    return startSilently({ ...this.environment, ...overrides });
  }

  /** What a command prints that has no fault. */
  async run(...argv: string[]): Promise<string> {
    const { code, out, err } = await this.try(...argv);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return out;
  }

  try(...argv: string[]) {
    return runCommand(argv, this.environment);
  }

  /** Runs the work while a service uses the store, and while none does. */
  async bothWays(work: (way: string) => Promise<void>): Promise<void> {
    await work('at rest');
    const service = await this.start();
    try {
      await work('running');
    } finally {
      await service.close();
    }
  }

  /** Has an event come to a service, and waits until it is delivered; gives its id. */
  async deliverEvent(service: Service): Promise<string> {
    this.playground.subscribe({ url: `${service.publicUrl}/webhooks`, secret: WEBHOOK_SECRET });
    const { id } = this.playground.events.emit('PositionProfileClosed');
    await until(async () => (await get(service, `/events/${id}`)).state === 'delivered');
    return id;
  }

  /** Asks a service for a browser token of amelia. */
  async askToken(service: Service, subject = 'amelia') {
    const scope = 'query:organizations';
    const userToken = await this.playground.signIn(subject);
    return askToken({ url: service.publicUrl }, userToken, { hirerId: HIRER, scope });
  }
}
