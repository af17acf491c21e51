import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { deliverySchema } from '../../src/webhooks/schema/delivery-schema.js';

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
const ANY_OBJECT = ajv.compile({ ...deliverySchema(), $id: 'any-object' });
const SHIPPED = ajv.compile(JSON.parse(readFileSync('schemas/event-delivery.json', 'utf8')) as object);

/**
 * How a request to an event sink differs from the schema of deliveries, whatever operations go with events. Members that
 * the upstream sent in another form than it documents are delivered as they came, and are not judged.
 * @returns undefined for a request that is no signed delivery
 */
export function faultOfDelivery(
  headers: Readonly<Record<string, unknown>>,
  body: string,
): string | undefined {
  return headers['webhook-signature'] === undefined ? undefined : faultOf(ANY_OBJECT, body);
}

/** How a delivery of a service with the shipped operations differs from the schema that is shipped. */
export function faultOfShippedDelivery(body: string): string | undefined {
  return faultOf(SHIPPED, body);
}

function faultOf(validate: typeof SHIPPED, body: string): string | undefined {
  if (validate(withoutOddMembers(JSON.parse(body) as object))) return undefined;
  const faults = (validate.errors ?? []).map(
    (error: ErrorObject) => `${error.instancePath} ${error.message}`,
  );
  return `${faults.join('; ')} in ${body}`;
}

/** Without texts that are none: every identifier may be missing. */
function withoutOddMembers(delivery: object): object {
  if (!('data' in delivery) || typeof delivery.data !== 'object' || delivery.data === null) return delivery;
  const members = Object.entries(delivery.data).filter(
    ([name, value]) => typeof value === 'string' || name === 'object' || name === 'objectErrors',
  );
  return { ...delivery, data: Object.fromEntries(members) };
}
