import { createServer } from 'node:net';
import { portOf } from '../../../test/support/machine.js';
import { until } from '../../../test/support/until.js';
import { examineRedis } from '../examine-store.js';
import { RedisConnection } from './redis-connection.js';

/** A server that speaks as much of Redis' protocol as the driver needs. */
class ScriptedRedis {
  answerToWrites = '+OK';
  answerToPings = '+PONG';
  role = '*1\r\n$6\r\nmaster';
  connections = 0;
  private readonly server = createServer((socket) => {
    this.connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const commands = bytes.toString().split(/\*\d+\r\n\$\d+\r\n/).slice(1); // prettier-ignore
      for (const command of commands) {
        const [name = ''] = command.split('\r\n');
        socket.write(`${this.answers()[name] ?? '+OK'}\r\n`);
      }
    });
  });

  private answers(): Record<string, string> {
    return {
      SET: this.answerToWrites,
      PING: this.answerToPings,
      ROLE: this.role,
      TIME: '*2\r\n$1\r\n1\r\n$1\r\n0',
    };
  }

  async start(): Promise<URL> {
    return new URL(`redis://127.0.0.1:${await portOf(this.server)}`);
  }
}

const set = (redis: RedisConnection): Promise<string | null | undefined> =>
  redis.ask((client) => client.set('bff:key', 'value'));

describe('a connection to Redis', () => {
  let server: ScriptedRedis;
  let url: URL;
  let redis: RedisConnection;
  let fault: string | undefined;
  let failures: string[];
  beforeEach(async () => {
    server = new ScriptedRedis();
    url = await server.start();
    [fault, failures] = [undefined, []];
    const failed = (why: string): void => void failures.push((fault = why));
    redis = new RedisConnection(url, { succeeded: () => (fault = undefined), failed }, undefined, 10_000);
    await redis.opened();
  });
  afterEach(() => redis.close());

  test.each([
    "-READONLY You can't write against a read only replica.",
    "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    '-NOAUTH Authentication required.',
  ])('that answers %s is down, is made anew until it takes writes, and then up', async (refusal) => {
    await until(async () => (await set(redis)) === 'OK'); // on a busy machine an answer may come too late
    server.answerToWrites = refusal;
    expect(await set(redis)).toBeUndefined();
    await until(() => !redis.isUp);
    expect(fault).toBe(refusal.slice(1));
    const { connections } = server;
    await until(() => server.connections > connections);
    expect(redis.isUp).toBe(false);
    server.answerToWrites = '+OK';
    await until(() => redis.isUp);
    await until(async () => (await set(redis)) === 'OK');
    expect(fault).toBeUndefined();
  });

  test('that is idle, and answers a ping of the client with an error, is up again once it takes writes', async () => {
    server.answerToPings = server.answerToWrites = '-MISCONF Redis is not able to persist on disk.';
    await until(() => fault !== undefined && !redis.isUp);
    server.answerToPings = '+PONG';
    server.answerToWrites = '+OK';
    await until(() => redis.isUp);
    expect(fault).toBeUndefined();
    server.answerToPings = '-BUSY Redis is busy running a script.';
    await until(() => fault !== undefined);
    expect([fault, redis.isUp]).toEqual([server.answerToPings.slice(1), true]);
  });

  test('that is full, or keeps a command from its user, is up: what it refuses is reported', async () => {
    server.answerToWrites = '-OOM command not allowed';
    expect(await set(redis)).toBeUndefined();
    expect(redis.isUp).toBe(true);
    expect(failures).toEqual(['OOM command not allowed']);
  });

  describe('that the doctor examines', () => {
    // server and client take turns here: nothing is late
    beforeEach(() =>
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] }),
    );
    afterEach(() => jest.useRealTimers());

    test.each([
      [
        'a replica that takes no writes',
        { answerToWrites: "-READONLY You can't write against a read only replica." },
        'is a replica',
      ],
      ['a replica that takes them', { role: '*1\r\n$5\r\nslave' }, 'is a replica'],
      [
        'a server whose user lacks the right to a command',
        { answerToWrites: "-NOPERM this user has no permissions to run the 'set' command" },
        'refuses a command (NOPERM',
      ],
      [
        'a server that is full',
        { answerToWrites: "-OOM command not allowed when used memory > 'maxmemory'." },
        '(OOM command not allowed',
      ],
    ])('to %s is a fault for the doctor, which says so', async (_what, answers, told) => {
      await expect(examineRedis(url)).resolves.toMatchObject({ serverTime: 1_000 });
      Object.assign(server, answers);
      await expect(examineRedis(url)).rejects.toThrow(told);
    });
  });
});
