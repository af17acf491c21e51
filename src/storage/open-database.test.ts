import { ConfigError } from '../config/load-config.js';
import { UnavailableError } from '../config/faults/start-faults.js';
import { PATIENCE_MS, reachServer } from './open-database.js';

const refusing = (code: string): Error => Object.assign(new Error('postgres://user:secret@host'), { code });

const told = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code, severity: 'FATAL' });
const hba = (encryption: string): Error =>
  told('28000', `no pg_hba.conf entry for host "10.0.0.7", user "bff", database "bff", ${encryption}`);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A server with these failures before its first answer, on a clock that only pauses advance. */
function serverThat(failures: readonly Error[]) {
  const begunAt = performance.now();
  let pings = 0;
  const ping = async (): Promise<void> => {
    const failure = failures[Math.min(pings, failures.length - 1)];
    pings += 1;
    if (failure && pings <= failures.length) throw failure;
  };
  return {
    reach: async () => {
      const [reached] = await Promise.allSettled([reachServer({ ping }), jest.runAllTimersAsync()]);
      if (reached.status === 'rejected') throw reached.reason;
    },
    pings: () => pings,
    tookMs: () => performance.now() - begunAt,
  };
}

/** How the start fails. */
const faultOf = ({ reach }: ReturnType<typeof serverThat>): Promise<unknown> =>
  reach().catch((error: unknown) => error);

describe('a database server at start', () => {
  test('is waited for while it does not answer, or says that it is starting', async () => {
    const server = serverThat([refusing('ECONNREFUSED'), refusing('57P03'), refusing('53300')]);
    await server.reach();
    expect(server.pings()).toBe(4);
  });

  test('is waited for where its socket is a file that is yet to be made', async () => {
    const message = 'connect ENOENT /var/run/postgresql/.s.PGSQL.5432'; // Node's
    const server = serverThat([Object.assign(new Error(message), { code: 'ENOENT' })]);
    await server.reach();
    expect(server.pings()).toBe(2);
  });

  test('fails the start after ten seconds, by the name of the setting and without its value', async () => {
    const server = serverThat(Array.from({ length: 1_000 }, () => refusing('ECONNREFUSED')));
    const fault = await faultOf(server);
    expect(fault).toBeInstanceOf(UnavailableError);
    expect(String(fault)).toMatch(/DATABASE_URL .*ECONNREFUSED/);
    expect(String(fault)).not.toContain('secret');
    expect(server.tookMs()).toBe(PATIENCE_MS);
  });

  test.each<[string, Error, RegExp]>([
    ['a server that refuses', told('57P03', 'it is starting up'), /\(57P03: it is starting up\)/],
    [
      'a server without a free connection',
      told('53300', 'too many clients already'),
      /that does not answer \(53300: too many clients already\)/,
    ],
    ['a driver that gives up', new Error('timeout expired'), /\(timeout expired\)/],
    ['a system call', refusing('EHOSTUNREACH'), /\(EHOSTUNREACH\)/],
  ])('says what it was told: the words of %s', async (_who, failure, words) => {
    const fault = await faultOf(serverThat(Array.from({ length: 1_000 }, () => failure)));
    expect(String(fault)).toMatch(words);
    expect(String(fault)).not.toContain('secret');
  });

  test.each(['28P01', '28000', '3D000', '42501', '25006'])(
    'fails the start immediately when it refuses with %s',
    async (code) => {
      const server = serverThat([refusing(code)]);
      await expect(server.reach()).rejects.toThrow(ConfigError);
      expect(server.pings()).toBe(1);
    },
  );

  test.each<[string, Error, RegExp]>([
    ['certificate', refusing('SELF_SIGNED_CERT_IN_CHAIN'), /certificate is not trusted/],
    ['file of an authority', refusing('ENOENT'), /sslrootcert/],
    ['address', hba('SSL encryption'), /address .* rejects/],
    ['lack of encryption', hba('no encryption'), /requires TLS: add sslmode=verify-full/],
    [
      'lack of encryption, in the words of a proxy',
      told('08006', 'connection is insecure (try using `sslmode=require`)'),
      /requires TLS/,
    ],
    ['encoding', new URIError('URI malformed'), /percent-encoding/],
  ])('fails the start immediately for a wrong %s', async (_what, failure, reason) => {
    const server = serverThat([failure]);
    const fault = await faultOf(server);
    expect(fault).toBeInstanceOf(ConfigError);
    expect(String(fault)).toMatch(reason);
    expect(String(fault)).toContain('DATABASE_URL');
    expect(server.pings()).toBe(1);
  });
});
