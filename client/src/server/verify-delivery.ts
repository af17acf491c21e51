import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DeliveryOf } from './deliveries.js';
import type { Delivery } from './event-types.js';

/** Names of header fields with their values, in any case: Node's, a cloud function's, or a Fetch `Headers`. */
export type DeliveryHeaders = Readonly<Record<string, unknown>> | Headers;

/** A request as it arrived. Fastify's and Express's fit when their `body` is the raw bytes. */
export interface DeliveryRequest {
  readonly headers: DeliveryHeaders;
  /** The bytes that were sent. A body that was parsed cannot be verified. */
  readonly body: unknown;
}

/** How to verify. */
export interface VerifyOptions {
  /** How many seconds the time of the request may differ from the clock; 300 by default. */
  readonly toleranceSeconds?: number;
  /** Epoch milliseconds; the clock by default. */
  readonly now?: () => number;
}

/** Why a delivery is refused. */
export type DeliveryRefusal =
  /** A header of Standard Webhooks is missing, or not of its form. */
  | 'bad_headers'
  /** The request is too old or from the future: check the clock. */
  | 'bad_timestamp'
  /** No secret fits: `EVENT_SINK_SECRET` here and there differ, or the bytes are not those that were sent. */
  | 'bad_signature'
  /** Signed, but no delivery of an event. */
  | 'bad_body';

/** A request that is no delivery. Answer it with {@link DeliveryRefused.status}. */
export class DeliveryRefused extends Error {
  override readonly name = 'DeliveryRefused';
  readonly status: 400 | 401;

  constructor(
    readonly code: DeliveryRefusal,
    message: string,
  ) {
    super(message);
    this.status = code === 'bad_signature' || code === 'bad_timestamp' ? 401 : 400;
  }
}

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';
const KEY_BYTES_MIN = 24;

/**
 * Verifies a delivery of the service by the Standard Webhooks scheme (signature `v1`) and reads it.
 * @param secrets `EVENT_SINK_SECRET`: one, or all that are valid while it rotates. One that fits is enough
 * @throws DeliveryRefused for a request that the service did not sign just now
 * @throws TypeError for a secret that cannot be one, or a body that is not the raw bytes
 */
export function verifyDelivery(
  { headers, body }: DeliveryRequest,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now }: VerifyOptions = {},
): Delivery {
  const keys = (typeof secrets === 'string' ? [secrets] : secrets).map(keyOf);
  const bytes = bytesOf(body);
  const id = requiredHeader(headers, 'webhook-id');
  const timestamp = requiredHeader(headers, 'webhook-timestamp');
  const signatures = requiredHeader(headers, 'webhook-signature').split(' ');
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new DeliveryRefused('bad_headers', 'webhook-timestamp is no time.');
  }
  if (!keys.some((key) => isSigned(key, `${id}.${timestamp}.`, bytes, signatures))) {
    throw new DeliveryRefused('bad_signature', 'No secret fits the signature of this delivery.');
  }
  if (!(Math.abs(now() / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new DeliveryRefused('bad_timestamp', 'This delivery is too old, or the clock is wrong.');
  }
  return readDelivery(id, bytes, headers);
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  if (key.length >= KEY_BYTES_MIN) return key;
  throw new TypeError(`A secret is ${PREFIX} and the base64 of ${KEY_BYTES_MIN} bytes or more.`);
}

function bytesOf(body: unknown): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof ArrayBuffer) return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  throw new TypeError('The body must be the bytes or the text that was sent, before any parser reads it.');
}

function requiredHeader(headers: DeliveryHeaders, name: string): string {
  const value = header(headers, name);
  if (value !== undefined && value !== '') return value;
  throw new DeliveryRefused('bad_headers', `The header ${name} is missing.`);
}

/** The value of a header that is there once. */
function header(headers: DeliveryHeaders, name: string): string | undefined {
  const entries: readonly [string, unknown][] = Object.entries(
    headers instanceof Headers ? { [name]: headers.get(name) } : headers,
  );
  const values = entries.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined;
}

/** Every `v1` signature is compared, in a time that does not depend on where it differs. */
function isSigned(key: Buffer, head: string, bytes: Buffer, signatures: readonly string[]): boolean {
  const expected = createHmac('sha256', key).update(head).update(bytes).digest();
  return signatures
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice(3), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

function readDelivery(id: string, bytes: Buffer, headers: DeliveryHeaders): Delivery {
  const { type, timestamp, data } = parse(bytes);
  if (typeof type !== 'string' || typeof timestamp !== 'string' || !isObject(data)) {
    throw new DeliveryRefused('bad_body', 'The body is no {type, timestamp, data}.');
  }
  const mark = header(headers, 'webhook-repeat');
  const repeat = mark === 'operator' ? 'operator' : mark === 'true' ? 'upstream' : undefined;
  const delivery: DeliveryOf<string, object> = { id, type, timestamp, data, repeat };
  return delivery as Delivery;
}

function parse(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    if (isObject(body)) return body;
  } catch {
    // refused below
  }
  throw new DeliveryRefused('bad_body', 'The body is no JSON object.');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
