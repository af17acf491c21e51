import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, cpSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import type { Playground } from '../../playground/src/playground.js';
import { CONFIG_EXIT_CODE, type Environment } from '../../src/config/load-config.js';
import { newFolder, serverOf } from '../support/machine.js';
import { installImage, type ContainerImage, settingsIn } from './dockerfile.js';
import { json, startJsonServer } from '../support/json-server.js';
import {
  DOCUMENTED_EXCHANGES,
  EXCHANGES_HIRER,
  EXCHANGES_WEBHOOK_SECRET,
  ExchangeReader,
} from '../support/documented.js';
import { runCommand, runProcess, startProcess, type ServiceProcess } from '../support/start-process.js';
import { openPlayground, TEST_KEYS } from '../support/start-stack.js';
import { POSTGRESQL, SQLITE } from '../support/test-database.js';
import { until } from '../support/until.js';
const OPS_TOKEN = 'an-ops-token-of-the-image-test';

describe('the container image', () => {
  let image: ContainerImage;
  let upstream: Playground;

  beforeAll(async () => {
    image = installImage();
    upstream = await openPlayground();
  }, 120_000); // copies all packages where they cannot be linked
  afterAll(() => image.remove());

  /** The settings of a deployment. */
  const settings = () => ({
    ...image.environment,
    ...upstream.settings,
    ...TEST_KEYS,
    PORT: '0',
    OPS_PORT: '0',
    OPS_TOKEN,
    WEBHOOK_SECRETS: EXCHANGES_WEBHOOK_SECRET,
  });

  /** Runs one of the image's programs as the image's user; resolves with its standard output. */
  async function run(args: readonly string[], environment: Environment = {}): Promise<string> {
    const { node, cwd, uid, gid } = image.program;
    const { stdout } = await promisify(execFile)(node!, args, { cwd, uid, gid, env: environment });
    return stdout;
  }

  test('refuses playground mode with exit code 78, naming the package and the setting', async () => {
    const environment = { DATA_DIR: ':memory:', PORT: '0', OPS_PORT: '0' };
    const { code, text } = await runProcess(environment, image.program);
    expect(code).toBe(CONFIG_EXIT_CODE);
    expect(text).toBe(
      'The configuration is not valid:\n' +
        '  - UPSTREAM_URL is required: playground mode needs the package partner-bff-playground, which is not installed here\n' +
        'See docs/configuration.md.\n',
    );
  });

  test('is the command partner-bff: another word than start runs that', async () => {
    const entry = image.program.args.slice(0, -1);
    expect(await run([...entry, 'check'], settings())).toMatch(/^PARTNER_CLIENT_SECRET=set$/m);
    expect(await run([...entry, 'doctor'], settings())).toMatch(/^ok {4}issuer /m);
    await expect(run([...entry, 'check'])).rejects.toMatchObject({ code: CONFIG_EXIT_CODE });
  });

  describe('as a service', () => {
    let service: ServiceProcess;
    let reader: ExchangeReader;
    let files: string;

    beforeAll(async () => {
      files = listing(image.root);
      service = await startProcess(settings(), image.program);
      const port = new URL(service.opsUrl).port;
      await run(['bundle/main.js', 'memberships', 'add', 'amelia', EXCHANGES_HIRER], {
        ...image.environment,
        OPS_PORT: port,
        OPS_TOKEN,
      });
      reader = await ExchangeReader.signIn(service.url, upstream);
    });

    test.each(
      DOCUMENTED_EXCHANGES.slice(0, 1).map((exchange) => [exchange.request.firstLine, exchange] as const),
    )('answers %s as docs/routes.md says', (_name, exchange) => reader.follow(exchange));

    test('cannot write outside its volume, and does not need to', async () => {
      const script = `import { accessSync, readdirSync, constants } from 'node:fs';
        const all = readdirSync('.', { recursive: true, withFileTypes: true });
        const paths = all.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => parentPath + '/' + name);
        console.log(JSON.stringify(['.', '..', ...paths].filter((path) => {
          try { return accessSync(path, constants.W_OK) === undefined; } catch { return false; }
        })));`;
      expect(JSON.parse(await run(['--input-type=module', '-e', script]))).toEqual([]);
      expect(listing(image.root)).toBe(files);
    });

    test('obeys SIGTERM with exit code 0, and keeps its data', async () => {
      reader.close();
      expect(await service.stop()).toBe(0);
      service = await startProcess(settings(), image.program);
      const response = await fetch(`${service.opsUrl}/memberships`, {
        headers: { Authorization: `Bearer ${OPS_TOKEN}` },
      });
      expect(await response.json()).toMatchObject({ items: [{ hirerId: EXCHANGES_HIRER }] });
    });
  });

  test.each([SQLITE, POSTGRESQL])('stores in $name, caches in Redis, and sends traces', async ({ open }) => {
    const collector = await startJsonServer(json({}));
    const { settings: store } = await open();
    const service = await startProcess(
      {
        ...settings(),
        ...store,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.origin,
        REDIS_URL: serverOf('TEST_REDIS_URL'),
      },
      image.program,
    );
    await until(async () => (await fetch(`${service.opsUrl}/readyz`)).status === 200);
    const { status, checks } = await (await fetch(`${service.opsUrl}/readyz`)).json();
    expect({ status, database: checks.database.state }).toEqual({ status: 'ready', database: 'up' });
    await fetch(`${service.url}/auth/token`, { method: 'POST' });
    expect(await service.stop()).toBe(0);
    expect(collector.received.length).toBeGreaterThan(0);
  });

  describe('with secrets from files', () => {
    let folder: string;
    let mount: string;

    beforeAll(async () => {
      folder = newFolder();
      mount = newFolder();
      cpSync('deploy', join(folder, 'deploy'), { recursive: true });
      const own = [
        ...(await runCommand(['secrets'], {})).out.trim().split('\n'),
        'PARTNER_CLIENT_SECRET=a==',
      ];
      writeFileSync(join(folder, 'deploy/secrets.env'), `${own.join('\n')}\n`);
      execFileSync('bash', ['-ec', `umask 077\n${SECRETS_STEPS}`], { cwd: folder });
      // As an engine mounts them: each file with the owner and mode that it has on the host, whatever those of its folder.
      for (const name of secretsOf(folder)) linkSync(join(folder, 'deploy/secrets', name), join(mount, name));
      chmodSync(mount, 0o755);
    });

    const starts = async (environment: Environment): Promise<void> => {
      const mounted = Object.entries(environment).map(([name, value]) => [
        name,
        value?.replace('/run/secrets', mount),
      ]);
      const service = await startProcess(
        { ...image.environment, ...Object.fromEntries(mounted), PORT: '0', OPS_PORT: '0' },
        image.program,
      );
      expect(await service.stop()).toBe(0);
    };

    test('the documented steps make every secret that compose mounts', () => {
      const { secrets } = parse(readFileSync('deploy/compose.yml', 'utf8'), { merge: true }) as Compose;
      expect(
        Object.values(secrets)
          .map(({ file }) => file.replace('secrets/', ''))
          .sort(),
      ).toEqual(secretsOf(folder));
    });

    test("the image's user can read them, and nobody else on the host", async () => {
      const script = `import { readFileSync } from 'node:fs';
        for (const path of process.argv.slice(1)) console.log(readFileSync(path, 'utf8').length);`;
      const paths = secretsOf(folder).map((name) => join(mount, name));
      await expect(run(['--input-type=module', '-e', script, ...paths])).resolves.not.toContain('\n0\n');
      expect(statSync(join(folder, 'deploy/secrets')).mode & 0o777).toBe(0o700);
    });

    test('the service starts with the settings of compose', async () => {
      const { services } = parse(readFileSync('deploy/compose.yml', 'utf8'), { merge: true }) as Compose;
      // Without the two servers, it uses the image's volume.
      const { DATABASE_URL_FILE, REDIS_URL, ...environment } = services.bff.environment;
      expect([DATABASE_URL_FILE, REDIS_URL]).not.toContain(undefined);
      const own = services.bff.env_file.map((file) =>
        join('deploy', file.replace(/^bff\.env$/, '$&.example')),
      );
      const settings = own.map((file) => settingsIn(readFileSync(file, 'utf8')));
      await starts({ ...Object.assign({}, ...settings), ...NOBODYS, ...environment });
    });
  });
});

/** In place of a preset's servers, which no test calls. */
const NOBODYS = {
  UPSTREAM_URL: 'https://upstream.example.com',
  ISSUER_TOKEN_URL: 'https://issuer.example.com/oauth/token',
  PARTNER_CLIENT_ID: 'a-client',
};

interface Compose {
  readonly services: {
    readonly bff: {
      readonly env_file: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
    };
  };
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** The commands of `docs/deploy.md` that make the folder of secrets. */
const [, SECRETS_STEPS] = /## Secrets\n[^]*?```sh\n([^`]+)```/.exec(readFileSync('docs/deploy.md', 'utf8'))!;

const secretsOf = (folder: string): string[] => readdirSync(join(folder, 'deploy/secrets')).sort();

/** Names, sizes and times of what the image consists of, without its volume. */
function listing(root: string): string {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('data'))
    .map((name) => [name, statSync(join(root, name))] as const)
    .map(([name, { size, mtimeMs }]) => `${name} ${size} ${mtimeMs}`)
    .sort()
    .join('\n');
}
