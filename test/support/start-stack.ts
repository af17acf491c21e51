import { Writable } from 'node:stream';
import supertest, { type Response, type Test } from 'supertest';
import 'reflect-metadata';
import { loadConfig, type Config, type Environment } from '../../src/config/load-config.js';
import { faultOfDelivery } from './json-server.js';
import { endsByItself } from './machine.js';
import { openLog, type Log } from '../../src/telemetry/log.js';
import { startPlayground, type Playground, type PlaygroundOptions } from '../../playground/src/playground.js';
import { joinPlayground, preparePlayground } from '../../src/playground-mode/environment.js';
import { startService, type Service } from '../../src/service.js';
import { until } from './until.js';

/** The service and a playground on free ports, with everything either of them printed. */
export interface Stack {
  readonly service: Service;
  readonly playground: Playground;
  /** Origin of the public listener. */
  readonly url: string;
  readonly opsUrl: string;
  /** The log of the service so far. */
  readonly logText: () => string;
  /** The environment the service was started with. */
  readonly environment: Environment;
  close(): Promise<void>;
}

/** Keys fit for a test; nothing real is signed with them. */
export const TEST_KEYS = {
  USER_ID_KEY: 'uVx3Kp9Zr5Tb1Nw7Qd2Fh8Jm4Ls6Yc0A',
  SEALING_KEY: 'eG7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs',
};

/** Of each hirer, unless a suite names a `size`: a hundred, as a user has, take time to make, and few tests look at them. */
const OPENINGS = 20;

/**
 * Starts a service against a playground, through settings alone; memberships are the playground's.
 * @param options of a playground of its own, or the one that others have
 */
export async function startStack(
  overrides: Environment = {},
  options: PlaygroundOptions | Playground = {},
): Promise<Stack> {
  const isOpen = 'demo' in options;
  const playground = isOpen ? options : await openPlayground(options);
  void playground.world; // made on first use, which must not fall into a deadline under test
  const environment = serviceEnvironment(playground, overrides);
  const lines: string[] = [];
  const config = loadConfig(environment);
  const log = openLog({ ...config, LOG_LEVEL: 'debug' }, collect(lines));
  const service = await startService(config, log);
  endsByItself(async () => {
    await service.close();
    expect(faultsOfOwnSink(playground)).toEqual([]);
  });
  if ((environment['HIRER_ACCESS'] ?? 'database') === 'database') {
    await Promise.all(
      playground.demo.memberships.map((membership) =>
        grant(service.opsUrl, membership, environment['OPS_TOKEN']),
      ),
    );
  }
  return {
    service,
    playground,
    url: service.publicUrl,
    opsUrl: service.opsUrl,
    logText: () => lines.join(''),
    environment,
    close: async () => {
      await service.close();
      await playground.close();
    },
  };
}

/** A playground alone, on free ports. */
export async function openPlayground(options: PlaygroundOptions = {}): Promise<Playground> {
  const playground = await startPlayground({ port: 0, size: OPENINGS, ...options });
  endsByItself(() => playground.close());
  return playground;
}

/** The same for a suite, from before its first test until after its last. */
export function useStack(overrides: Environment = {}, options: PlaygroundOptions = {}): Stack {
  const stack = {} as Stack;
  beforeAll(async () => Object.assign(stack, await startStack(overrides, options)));
  return stack;
}

/** How what the service delivered to the playground's own sink differs from the schema of deliveries. */
function faultsOfOwnSink({ eventSink }: Playground): string[] {
  const signed = eventSink.list().filter(({ verified }) => verified);
  return signed.flatMap(({ body }) => faultOfDelivery(JSON.stringify(body)) ?? []);
}

/** The settings of a service on free ports, in memory, pointed at the playground as at any upstream. */
export function serviceEnvironment(playground: Playground, overrides: Environment = {}): Environment {
  return {
    ...playground.settings,
    ...TEST_KEYS,
    PORT: '0',
    HOST: '127.0.0.1',
    OPS_PORT: '0',
    DATA_DIR: ':memory:',
    EVENTS_SCHEME_ID: '', // without reconciliation nothing calls the upstream but what a test sends
    UPSTREAM_TIMEOUT_MS: '60000', // no answer is late for a busy machine
    ISSUER_TIMEOUT_MS: '60000',
    ...overrides,
  };
}

interface Grant {
  readonly subject: string;
  readonly hirerId: string;
  readonly roles: readonly string[];
}

/** Makes a user a member. */
export async function grant(
  opsUrl: string,
  { subject, hirerId, roles }: Grant,
  opsToken?: string,
): Promise<void> {
  const response = await fetch(
    `${opsUrl}/memberships/${encodeURIComponent(subject)}/${encodeURIComponent(hirerId)}`,
    {
      method: 'PUT',
      headers: {
        'content-type': 'application/json',
        ...(opsToken && { authorization: `Bearer ${opsToken}` }),
      },
      body: JSON.stringify({ roles }),
    },
  );
  if (response.status !== 200) throw new Error(`membership was not granted: ${response.status}`);
}

function collect(lines: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
}

/** Starts a service without a log in this process, for a playground that runs. */
export async function startSilently(environment: Environment, ends = endsByItself): Promise<Service> {
  const config = loadConfig(environment);
  const service = await startService(config, silentLog(config));
  ends(() => service.close());
  return service;
}

const silentLog = (config: Config): Log =>
  openLog({ ...config, LOG_LEVEL: 'silent' }, { write: () => undefined });

/** Starts the service as where nothing says which upstream it has: with a playground, on free ports; without the demo page. */
export async function startPlaygroundMode(
  settings: Environment,
): Promise<{ service: Service; playground: Playground }> {
  const given = { PORT: '0', OPS_PORT: '0', PLAYGROUND_PORT: '0', DATA_DIR: ':memory:', ...settings };
  const { playground, environment } = await preparePlayground(startPlayground, loadConfig(given), given);
  endsByItself(() => playground.close());
  const config = loadConfig(environment, true);
  const service = await startService(config, silentLog(config));
  endsByItself(() => service.close());
  await joinPlayground(service, playground, config);
  return { service, playground };
}

/** Starts the service of a stack again on its ports, after its end. What it knew is in its `DATA_DIR`. */
export function startAgain({ environment, url, opsUrl }: Stack, ends = endsByItself): Promise<Service> {
  return startSilently({ ...environment, PORT: new URL(url).port, OPS_PORT: new URL(opsUrl).port }, ends);
}

/** The id of an application to a hirer that has a file. */
export function applicationWithFile({ world }: Playground, hirerId: string): string {
  const withFile = new Set([...world.attachments.values()].map(({ profileId }) => profileId));
  return [...world.candidateProfiles.values()].find(
    (one) => one.hirerId === hirerId && one.positionProfileId !== null && withFile.has(one.id),
  )!.id;
}

/** The lines of the log that hold a text, once the requests before are logged. */
export async function linesWith({ opsUrl, logText }: Stack, text: string): Promise<string[]> {
  await supertest(opsUrl).get('/metrics'); // by its answer, the requests before it have ended and are logged
  return logText()
    .split('\n')
    .filter((line) => line.includes(text));
}

/** A JSON value that a test looks into. */
export type Json = any;

/** An answer read whole: `body` is its JSON, `text` what was sent. */
export type Answer = Response;

/** Waits until a service has what it needs for its first request, as a load balancer does. */
export function untilReady({ opsUrl }: Pick<Stack, 'opsUrl'>): Promise<void> {
  return until(async () => (await supertest(opsUrl).get('/readyz')).status === 200);
}

/** Asks for a browser token as a demo user, or with a token of the caller's own making. */
export async function askToken(
  { url }: Pick<Stack, 'url'>,
  endUserToken: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const authorization = endUserToken !== undefined && { authorization: `Bearer ${endUserToken}` };
  const request = supertest(url)
    .post('/auth/token')
    .set({ 'content-type': 'application/json', ...authorization, ...headers });
  return sendBody(request, body);
}

/** Reads an address with a token. */
export async function getAs(url: string, path: string, token: string): Promise<Answer> {
  return supertest(url)
    .get(path)
    .set({ authorization: `Bearer ${token}` });
}

/** Sends text and bytes unchanged, anything else as JSON. superagent would encode bytes as JSON, too. */
export function sendBody(request: Test, body: unknown): Test {
  if (body instanceof Uint8Array) return request.serialize((bytes) => bytes).send(Buffer.from(body));
  return request.send(typeof body === 'string' ? body : JSON.stringify(body));
}
