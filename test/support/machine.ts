import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type End = () => unknown;

const ofSuite: End[] = [];
const ofTest: End[] = [];
let begun = ofSuite;

/**
 * Ends something after the test that has begun it, passed or not, or after the last test where a suite has; the newest is
 * ended first. A test that fails leaves nothing that keeps its worker alive.
 * @param end does nothing where the test has ended it before
 */
export function endsByItself(end: End): void {
  begun.push(end);
}

/** Ends after the last test what a test has begun for those after it, too. */
export function endsWithSuite(end: End): void {
  ofSuite.push(end);
}

/** For the runtime of tests, before the hooks of a suite are known: the function that it returns adds the last ones. */
export function watchSuite(): () => void {
  beforeEach(() => void (begun = ofTest));
  return () => {
    afterEach(() => {
      begun = ofSuite;
      return endAll(ofTest);
    });
    afterAll(() => endAll(ofSuite));
  };
}

async function endAll(list: End[]): Promise<void> {
  const newest = list.pop();
  if (!newest) return;
  try {
    await newest();
  } finally {
    await endAll(list);
  }
}

/** Makes an empty folder of a suite's own. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bff-'));
  endsByItself(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a folder with these files, such as operations. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Opens a server on the loopback interface until its test ends, and gives its port. */
export async function portOf(server: Server, port = 0): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) =>
    sockets.add(socket.once('close', () => sockets.delete(socket))),
  );
  await once(server.listen(port, '127.0.0.1'), 'listening');
  endsByItself(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A free port below the range that the system assigns ports from, so that nothing else takes it before the caller does. */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000);
  const server = createServer().listen(port);
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The program, which a suite runs. @throws with the Debian package that has it, where it is not installed */
export function programOf(name: string, debianPackage = name): string {
  if (spawnSync('which', [name]).status === 0) return name;
  throw new Error(`${name} is not installed: apt-get install -y ${debianPackage}`);
}

/**
 * True in a project that has servers: there a suite that runs on several stores or brokers, which its name says, takes
 * those. In core it takes what is embedded.
 */
export function runsOnServers(): boolean {
  return (globalThis as { runsOnServers?: boolean }).runsOnServers === true; // of the project, in jest.config.js
}

/** The Redis of a project that has servers. */
export function testRedis(): URL | undefined {
  return runsOnServers() ? new URL(serverOf('TEST_REDIS_URL')) : undefined;
}

/** The address of a server, from its variable. @throws with what to install and to set, where it is not set */
export function serverOf(variable: ServerVariable): string {
  const url = process.env[variable];
  if (url) return url;
  throw new Error(
    `${variable} names no server: apt-get install -y ${SERVERS[variable]}, start it, and set it`,
  );
}

const SERVERS = {
  TEST_DATABASE_URL: 'postgresql',
  TEST_REDIS_URL: 'redis-server',
  TEST_NATS_URL: 'nats-server',
  TEST_AMQP_URL: 'rabbitmq-server',
};
type ServerVariable = keyof typeof SERVERS;

/** What is in use once everything else is collected. */
export function usedHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
