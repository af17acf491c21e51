import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { CONFIG_EXIT_CODE, type Environment } from '../../src/config/load-config.js';
import { installImage, type ContainerImage } from '../support/container-image.js';
import {
  README_EXCHANGES,
  README_HIRER,
  README_WEBHOOK_SECRET,
  ReadmeReader,
} from '../support/readme-exchanges.js';
import { runProcess, startProcess, type ServiceProcess } from '../support/start-process.js';
import { TEST_KEYS } from '../support/start-stack.js';

const ONLY_OF_PLAYGROUND = ['partner-bff-playground', 'graphql-yoga', '@graphql-yoga/render-graphiql'];
const OPS_TOKEN = 'an-ops-token-of-the-image-test';

describe('the container image', () => {
  let image: ContainerImage;
  let upstream: Playground;

  beforeAll(async () => {
    image = installImage();
    upstream = await startPlayground({ port: 0 });
  }, 120_000); // copies all packages where they cannot be linked
  afterAll(async () => {
    await upstream.close();
    image.remove();
  });

  /** What a deployment sets. */
  const settings = () => ({
    ...image.environment,
    ...upstream.settings,
    ...TEST_KEYS,
    PORT: '0',
    OPS_PORT: '0',
    OPS_TOKEN,
    WEBHOOK_SECRETS: README_WEBHOOK_SECRET,
  });

  /** Runs one of the image's programs as the image's user; resolves with its standard output. */
  async function run(args: readonly string[], environment: Environment = {}): Promise<string> {
    const { node, cwd, uid, gid } = image.program;
    const { stdout } = await promisify(execFile)(node!, args, { cwd, uid, gid, env: environment });
    return stdout;
  }

  test('holds neither the playground nor what only the playground needs', () => {
    expect(image.packages).toEqual(expect.arrayContaining(['@nestjs/core', 'graphql', 'fastify']));
    expect(image.packages).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/playground|yoga|graphiql|peculiar/)]),
    );
  });

  test.each(ONLY_OF_PLAYGROUND)('cannot resolve %s', async (name) => {
    const script = `await import(${JSON.stringify(name)})`;
    await expect(run(['--input-type=module', '-e', script])).rejects.toThrow('ERR_MODULE_NOT_FOUND');
  });

  test('refuses playground mode with exit code 78, naming the package and the setting', async () => {
    const environment = { DATA_DIR: ':memory:', PORT: '0', OPS_PORT: '0' };
    const { code, text } = await runProcess(environment, image.program);
    expect(code).toBe(CONFIG_EXIT_CODE);
    expect(text).toBe(
      'The configuration is not valid:\n' +
        '  - UPSTREAM_URL is required: playground mode needs the package partner-bff-playground, which is not installed here\n',
    );
  });

  describe('as a service', () => {
    let service: ServiceProcess;
    let reader: ReadmeReader;
    let files: string;

    beforeAll(async () => {
      files = listing(image.root);
      service = await startProcess(settings(), image.program);
      const port = new URL(service.opsUrl).port;
      await run(['dist/hirer-access/memberships-cli.js', 'add', 'amelia', README_HIRER], {
        ...image.environment,
        OPS_PORT: port,
        OPS_TOKEN,
      });
      reader = await ReadmeReader.signIn(service.url, upstream);
    });
    afterAll(() => service.stop('SIGKILL'));

    test.each(README_EXCHANGES.map((exchange) => [exchange.request.firstLine, exchange] as const))(
      'answers %s as the README says',
      (_name, exchange) => reader.follow(exchange),
    );

    test('has its memberships administered by npm, too', () => {
      const environment = {
        ...process.env,
        NODE_OPTIONS: '',
        OPS_TOKEN,
        OPS_PORT: new URL(service.opsUrl).port,
      };
      const command = ['run', '--silent', 'memberships', '--', 'list'];
      const text = execFileSync('npm', command, { cwd: image.workdir, env: environment, encoding: 'utf8' });
      expect(text).toContain(`amelia\t${README_HIRER}\tmember\t`);
    });

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

    test('obeys SIGTERM with exit code 0', async () => {
      reader.close();
      expect(await service.stop()).toBe(0);
    });
  });
});

/** Names, sizes and times of what the image consists of, without its volume. */
function listing(root: string): string {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('data'))
    .map((name) => [name, statSync(join(root, name))] as const)
    .map(([name, { size, mtimeMs }]) => `${name} ${size} ${mtimeMs}`)
    .sort()
    .join('\n');
}
