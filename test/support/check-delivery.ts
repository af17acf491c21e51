import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { deliverySchema } from '../../src/webhooks/schema/delivery-schema.js';

const validate = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(
  deliverySchema(),
);

/**
 * How a request to an event sink differs from the schema of deliveries.
 * @returns undefined for a request that is no signed delivery
 */
export function faultOfDelivery(
  headers: Readonly<Record<string, unknown>>,
  body: string,
): string | undefined {
  if (headers['webhook-signature'] === undefined) return undefined;
  if (validate(JSON.parse(body))) return undefined;
  const faults = (validate.errors ?? []).map(
    (error: ErrorObject) => `${error.instancePath} ${error.message}`,
  );
  return `${faults.join('; ')} in ${body}`;
}
