import { readFileSync } from 'node:fs';
import { EVENT_TYPES } from '../../playground/src/data/records.js';
import { EVENT_TYPES as DOCUMENTED } from '../../src/webhooks/webhook-event.js';
import type { Json } from '../support/start-stack.js';
import { faultOfDelivery } from '../support/json-server.js';

const { $defs } = JSON.parse(readFileSync('schemas/event-delivery.json', 'utf8')) as {
  $defs: Record<string, Json>;
};
const forms = Object.fromEntries(
  Object.values($defs).flatMap(({ properties: { type, data } }) =>
    (type.enum ?? [type.const ?? 'other']).map((name: string) => [name, data?.properties ?? {}]),
  ),
) as Record<string, object>;
const TIME = '2026-01-02T03:04:05.678Z';

function faultOf(delivery: object): string | undefined {
  return faultOfDelivery(JSON.stringify(delivery));
}

describe('the JSON Schema of deliveries', () => {
  test('has a form for every type that the upstream emits, with its identifiers, and one for all others', () => {
    expect(Object.keys(forms).sort()).toEqual([...EVENT_TYPES, 'other'].sort());
    for (const [type, { members }] of Object.entries(DOCUMENTED)) {
      expect(Object.keys(forms[type]!)).toEqual(expect.arrayContaining(Object.keys(members)));
    }
  });

  test('accepts the deliveries of docs/deliveries.md, one of each form', () => {
    const page = readFileSync('docs/deliveries.md', 'utf8');
    const deliveries = [...page.matchAll(/```json\n([^`]+)```/g)].map(([, text]) => JSON.parse(text!));
    expect(deliveries.map(({ type }) => type)).toEqual([
      'CandidateApplicationCreated',
      'CandidateProfilePurchased',
      'PositionProfilePosted',
      'PositionNotPosted',
      'HirerRelationshipChanged',
    ]);
    expect(deliveries.map(faultOf).filter(Boolean)).toEqual([]);
  });

  test.each([
    ['a type that nobody knows yet, with any members', { type: 'NewThing', data: { id: 'e1', count: 7 } }],
    ['an event that was read without its identifiers', { type: 'PositionProfilePosted', data: {} }],
  ])('accepts %s', (_name, delivery) => {
    expect(faultOf({ ...delivery, timestamp: TIME })).toBeUndefined();
  });

  test.each([
    ['a type that is a number', { type: 7, timestamp: TIME, data: {} }],
    ['a missing time', { type: 'PositionProfilePosted', data: {} }],
    ['data that is a text', { type: 'NewThing', timestamp: TIME, data: 'e1' }],
    ['a missing type', { timestamp: TIME, data: {} }],
  ])('refuses %s', (_name, delivery) => {
    expect(faultOf(delivery)).toContain(JSON.stringify(delivery));
  });
});
