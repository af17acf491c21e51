import { readFileSync } from 'node:fs';
import { buildSchema, graphqlSync, type GraphQLSchema } from 'graphql';
import supertest from 'supertest';
import { SchemaWatch } from '../../src/ops/schema-check/schema-watch.js';
import { changeFields, useScriptedUpstream } from '../support/scripted-upstream.js';
import { linesWith, startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';

const SDL = readFileSync('playground/schema.graphql', 'utf8');
const PUBLIC = buildSchema(SDL);
const DRIFTED = buildSchema(changeFields(SDL, 'positionTitle', 'remove'));
const AGEING = buildSchema(changeFields(SDL, 'contextualName', 'deprecate'));

const upstream = useScriptedUpstream();
let schema: GraphQLSchema | undefined;
let stack: Stack;
beforeEach(() => {
  upstream.reset();
  upstream.script = ({ query }) =>
    JSON.stringify(
      schema ? graphqlSync({ schema, source: query }) : { errors: [{ message: 'no introspection' }] },
    );
});

async function start(served: GraphQLSchema | undefined, OPERATIONS_CHECK = 'daily'): Promise<void> {
  schema = served;
  stack = await startStack({ UPSTREAM_URL: upstream.url, OPERATIONS_CHECK });
}

const metrics = async (): Promise<string> => (await supertest(stack.opsUrl).get('/metrics')).text;
const checked = (outcome: string): Promise<unknown> =>
  until(async () => (await metrics()).includes(`bff_schema_checks_total{outcome="${outcome}"} 1`));
const introspections = (): number =>
  upstream.executed.filter(({ operation }) => operation.query.includes('__schema')).length;

test('a schema that accepts every operation is reported as clean', async () => {
  await start(PUBLIC);
  await checked('clean');
  expect(await metrics()).toContain('bff_schema_drift_entries{kind="fault"} 0');
  expect(stack.logText()).not.toContain('drifted');
});

test('a schema that refuses operations is a warning that names them, and a metric', async () => {
  await start(DRIFTED);
  await checked('drifted');
  expect(await metrics()).toMatch(/bff_schema_drift_entries\{kind="fault"\} [1-9]/);
  const [line] = await linesWith(stack, 'schema has drifted');
  expect(line).toContain('"level":"warn"');
  expect(line).toContain('position-profile.graphql: Cannot query field \\"positionTitle\\"');
});

test('what is deprecated is a warning, and no drift', async () => {
  await start(AGEING);
  await checked('clean');
  expect(await metrics()).toMatch(/bff_schema_drift_entries\{kind="deprecated"\} [1-9]/);
  expect(stack.logText()).toContain('The field Location.contextualName is deprecated');
});

test('a schema that cannot be had fails the check and nothing else; the last result stays', async () => {
  await start(DRIFTED);
  await checked('drifted');
  schema = undefined;
  expect(await stack.service.app.get(SchemaWatch, { strict: false }).check()).toBe('failed');
  expect(await metrics()).toMatch(/bff_schema_drift_entries\{kind="fault"\} [1-9]/);
  expect((await supertest(stack.opsUrl).get('/readyz')).status).toBe(200);
});

test('nothing is asked unless the setting says so', async () => {
  await start(PUBLIC, 'off');
  expect(await stack.service.app.get(SchemaWatch, { strict: false }).check()).toBe('clean');
  expect(introspections()).toBe(1); // the one asked for here
});
