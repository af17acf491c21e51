import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import supertest from 'supertest';
import { type Json, askToken } from '../support/ask-token.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';

// Real faults, a real Prometheus: what the service says of itself reaches whom it should. Waiting times of the rules are
// shortened. Restarts, memory and the event loop are left to promtool (deploy/prometheus/alerts.test.yml).

const FAULT_MS = 60_000;
const SCOPE = 'query:organizations';
const folder = mkdtempSync(join(tmpdir(), 'bff-drill-'));

let prometheus: ChildProcess;
const api = `http://127.0.0.1:${19_000 + (process.pid % 1_000)}`;

const targets: string[] = [];

/** Adds a service, and waits until it was scraped: as in life, a fault comes after. */
async function scrapeAlso(stack: Stack): Promise<void> {
  const { host } = new URL(stack.opsUrl);
  targets.push(host);
  writeFileSync(join(folder, 'targets.json'), JSON.stringify([{ targets }]));
  const query = encodeURIComponent(`count_over_time(up{instance="${host}"}[1m]) > 2`);
  await until(async () => {
    const { body: answer } = await supertest(api).get(`/api/v1/query?query=${query}`);
    return answer.data.result.length > 0;
  }, FAULT_MS);
}

function shortened(): string {
  return readFileSync('deploy/prometheus/alerts.yml', 'utf8').replaceAll(/^( +for): .*$/gm, '$1: 2s');
}

/** The alerts that fire now, each with its condition. */
async function firing(): Promise<readonly string[]> {
  const { body: answer } = await supertest(api).get('/api/v1/alerts');
  return answer.data.alerts
    .filter(({ state }: Json) => state === 'firing')
    .map(({ labels }: Json) => [labels.alertname, labels.condition].filter(Boolean).join(' '));
}

async function fires(alert: string, keepUp: () => Promise<unknown> = async () => undefined): Promise<void> {
  await until(async () => {
    await keepUp();
    return (await firing()).includes(alert);
  }, FAULT_MS);
}

beforeAll(async () => {
  execFileSync('prometheus', ['--version']);
  writeFileSync(join(folder, 'alerts.yml'), shortened());
  writeFileSync(join(folder, 'targets.json'), '[]');
  writeFileSync(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: partner-bff
    file_sd_configs: [{ files: [targets.json], refresh_interval: 1s }]
`,
  );
  const options = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
  prometheus = spawn('prometheus', [...options, `--web.listen-address=${new URL(api).host}`], {
    stdio: 'ignore',
  });
  await until(() =>
    supertest(api)
      .get('/-/ready')
      .then(
        ({ status }) => status === 200,
        () => false,
      ),
  );
});
afterAll(() => {
  prometheus.kill();
});

describe('alerts on real faults', () => {
  test('credentials that the issuer refuses and a Redis that is gone, then a replica that is gone', async () => {
    const stack = await startStack({
      PARTNER_CLIENT_SECRET: 'wrong-client-secret',
      REDIS_URL: 'redis://127.0.0.1:9',
    });
    await scrapeAlso(stack);
    await fires('BffPage credentials-refused');
    await fires('BffPage partner-token-missing');
    await fires('BffTicket redis-failing');
    await stack.close();
    await fires('BffDown');
  });

  test('an upstream that fails pages, and no longer once it answers', async () => {
    const stack = await startStack();
    await scrapeAlso(stack);
    const amelia = await stack.playground.signIn('amelia');
    const { hirerId } = stack.playground.demo.hirers[0]!;
    const ask = (): Promise<unknown> => askToken(stack, amelia, { hirerId, scope: SCOPE });
    stack.playground.faults.add({ route: 'auth-token', times: 0, status: 500 });
    await fires('BffPage upstream-failing', ask);
    stack.playground.faults.clear();
    await until(async () => {
      await ask();
      return !(await firing()).includes('BffPage upstream-failing');
    }, 2 * FAULT_MS); // most calls of a minute failed
    await stack.close();
  });
});
