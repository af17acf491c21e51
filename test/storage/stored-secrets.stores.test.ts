import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createClient, RESP_TYPES } from 'redis';
import supertest from 'supertest';
import { newFolder, testRedis } from '../support/machine.js';
import { askToken, startStack, type Stack } from '../support/start-stack.js';
import { startJsonServer } from '../support/json-server.js';
import { testDatabases } from '../support/test-database.js';
import { until } from '../support/until.js';

const SINK_SECRET = randomBytes(32).toString('base64');
const OPS_TOKEN = randomBytes(32).toString('base64url');
const REFUSED_TOKEN = `refused.${randomBytes(32).toString('base64url')}.x`;
const PROFILE_ID = 'candidateApplicationProfileId';

/** Everything in the databases and the log of the service, as text. */
async function dump(stack: Stack, folder: string): Promise<string> {
  const { DATABASE_URL, REDIS_URL } = stack.environment;
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  const rows = DATABASE_URL === undefined ? [] : await dumpPostgres(DATABASE_URL);
  const values = REDIS_URL === undefined ? [] : await dumpRedis(REDIS_URL);
  const ops = supertest(stack.opsUrl);
  const audit = await ops.get('/audit').set('authorization', `Bearer ${OPS_TOKEN}`); // compressed in the file
  expect(audit.body.items.length).toBeGreaterThan(3);
  return [...files, ...rows, ...values, audit.text, stack.logText()].join('\n');
}

async function dumpPostgres(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`,
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
    texts.push(...rows.map(({ text }) => text));
  }
  await client.end();
  return texts;
}

async function dumpRedis(url: string): Promise<string[]> {
  const client = await createClient({ url }).connect();
  const bytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  const texts: string[] = [];
  for await (const keys of client.scanIterator()) {
    for (const key of keys) {
      const isText = (await client.type(key)) === 'string';
      texts.push(key, String(isText && (await bytes.get(key))?.toString('latin1')));
    }
  }
  client.destroy();
  return texts;
}

for (const { name, open } of testDatabases()) {
  test(`no token, no secret and nothing of an event's object stands in ${name}, Redis or the log`, async () => {
    const sink = await startJsonServer(({ body }, response) =>
      response.writeHead(200).end(JSON.stringify(JSON.parse(body).data.object)),
    );
    const { settings } = await open();
    const folder = newFolder();
    const redis = testRedis();
    const stack = await startStack({
      ...settings,
      ...(redis && { REDIS_URL: redis.href }),
      DATA_DIR: folder,
      OPS_TOKEN,
      EVENT_SINK_URL: sink.url.href,
      EVENT_SINK_SECRET: `whsec_${SINK_SECRET}`,
    });
    const { playground } = stack;
    playground.subscribe({ url: `${stack.url}/webhooks` });
    const userToken = await playground.signIn('amelia');
    const { hirerId } = playground.demo.hirers[0]!;
    const request = { hirerId, scope: 'query:organizations' };
    const granted = await askToken(stack, userToken, request);
    expect(granted.status).toBe(200);
    const refused = { 'x-refused-token': granted.body.access_token };
    expect((await askToken(stack, userToken, request, refused)).status).toBe(200);
    expect((await askToken(stack, REFUSED_TOKEN, request)).status).toBe(401);
    const graphql = await supertest(stack.url)
      .post('/graphql')
      .set({ authorization: `Bearer ${userToken}`, 'x-hirer-id': hirerId })
      .send({ query: '{ version }' });
    expect(graphql.status).toBe(200);
    playground.events.emit('CandidateApplicationCreated');
    await until(async () => {
      const { body } = await supertest(stack.opsUrl)
        .get('/events')
        .set('authorization', `Bearer ${OPS_TOKEN}`);
      return body.items[0]?.state === 'delivered';
    });
    const { object } = JSON.parse(sink.received[0]!.body).data;
    const person = JSON.stringify(object.candidateProfile.candidate.person);
    let text = '';
    await until(async () => {
      text = await dump(stack, folder);
      return text.includes(PROFILE_ID); // the event itself is there
    });
    const secrets = {
      ...Object.fromEntries(playground.tokens.values().map((token, index) => [`token ${index}`, token])),
      userToken,
      REFUSED_TOKEN,
      OPS_TOKEN,
      SINK_SECRET,
      PARTNER_CLIENT_SECRET: playground.settings['PARTNER_CLIENT_SECRET']!,
      WEBHOOK_SECRETS: playground.settings['WEBHOOK_SECRETS']!,
      USER_ID_KEY: stack.environment['USER_ID_KEY']!,
      SEALING_KEY: stack.environment['SEALING_KEY']!,
      person,
      email: object.candidateProfile.candidate.person.communication.email[0].address as string,
    };
    expect(playground.tokens.values().length).toBeGreaterThan(2);
    const found = Object.entries(secrets).filter(([, secret]) => text.includes(secret));
    expect(found.map(([secret]) => secret)).toEqual([]);
  });
}
