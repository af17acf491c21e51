import { readFileSync } from 'node:fs';
import { EVENT_TYPES } from '../../playground/src/data/records.js';
import { compileOperation } from '../../src/operations/compile/compile-operation.js';
import { readSchema } from '../../src/operations/schema/read-schema.js';
import { loadOperations } from '../../src/operations/registered-operations.js';
import { describeDeliveries } from '../../src/ops/schema-check/describe-deliveries.js';
import { deliverySchema } from '../../src/webhooks/schema/delivery-schema.js';
import { servedSchema } from '../../src/webhooks/schema/served-schema.js';
import type { Json } from '../support/ask-token.js';
import { faultOfDelivery, json, startJsonServer } from '../support/json-server.js';

const schema = readSchema(readFileSync('playground/schema.graphql', 'utf8'));
const shipped = [...loadOperations(['shipped']).all()].map(({ compiled }) => compiled);
const SIGNED = { 'webhook-signature': 'v1,none' };
const TIME = '2026-01-02T03:04:05.678Z';

function faultOf(delivery: object): string | undefined {
  return faultOfDelivery(SIGNED, JSON.stringify(delivery));
}

describe('the JSON Schema of deliveries', () => {
  test('describes the data of the shipped operations alone: that of any other is some object', () => {
    expect(servedSchema(shipped)).toEqual(describeDeliveries(schema, shipped));
    const own = compileOperation(
      `query DeliveredApplication($id: String!) @hirer(path: "candidateProfile.associatedPositionProfile.positionOrganizations.id.value")
       @role(any: ["machine"]) @event(type: "CandidateApplicationCreated", variables: { id: "candidateApplicationProfileId" }) @token(use: PARTNER) {
         candidateProfile(id: $id) { associatedPositionProfile { positionOrganizations { id { value } } } } }`,
      'own.graphql',
    );
    const forms = servedSchema([own])['$defs'] as Record<string, object>;
    expect(forms['DeliveredApplicationData']).toEqual({ type: 'object' });
    expect(JSON.stringify(forms['PositionProfilePosted'])).not.toContain('objectErrors');
  });

  test('has a form for every type that the upstream emits, and one for all others', () => {
    const forms = deliverySchema()['$defs'] as Record<string, object>;
    expect(Object.keys(forms).sort()).toEqual([...EVENT_TYPES, 'OtherEvent'].sort());
  });

  test('accepts a type that nobody knows yet, with any members', () => {
    expect(faultOf({ type: 'NewThing', timestamp: TIME, data: { id: 'e1', count: 7 } })).toBeUndefined();
  });

  test('accepts an event that was read without its identifiers', () => {
    expect(faultOf({ type: 'PositionProfilePosted', timestamp: TIME, data: {} })).toBeUndefined();
  });

  test.each([
    ['a type that is a number', { type: 7, timestamp: TIME, data: {} }],
    ['a missing time', { type: 'PositionProfilePosted', data: {} }],
    ['data that is a text', { type: 'NewThing', timestamp: TIME, data: 'e1' }],
    ['a missing type', { timestamp: TIME, data: {} }],
  ])('refuses %s', (_name, delivery) => {
    expect(faultOf(delivery)).toContain(JSON.stringify(delivery));
  });

  test('types identifiers, but no suite fails for one that the upstream sent in another form', () => {
    const { $defs } = deliverySchema() as { $defs: Record<string, Json> };
    const { data } = $defs['PositionProfilePosted'].properties;
    expect(data.properties.positionProfileId).toMatchObject({ type: 'string' });
    const delivery = { type: 'PositionProfilePosted', timestamp: TIME, data: { positionProfileId: 7 } };
    expect(faultOf(delivery)).toBeUndefined();
  });

  test('is held by every stub sink: one that received another form fails its suite when it closes', async () => {
    const sink = await startJsonServer(json({}));
    await fetch(sink.url, { method: 'POST', headers: SIGNED, body: '{"type": "NewThing"}' });
    await expect(sink.close()).rejects.toThrow("must have required property 'timestamp'");
  });
});
