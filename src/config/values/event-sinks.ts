import { BROKER_SCHEMES, isBrokerUrl } from './broker-url.js';
import type { Reading, Setting } from './setting.js';
import { fileText, textFault } from './text-fault.js';
import { EVENT_TYPE, OBJECT_ID, RETRIES_MAX, RETRY_SECONDS_MAX, SINKS } from '../settings/sinks.js';

/** A sink of `EVENT_SINKS_FILE`. What it leaves out is as the settings of the single sink have it. */
export interface SinkEntry {
  /** Unique and lasting: its deliveries are stored under it. */
  readonly name: string;
  readonly url: URL;
  /** Of its signatures, newest first; a broker's may have none. */
  readonly keys: readonly Buffer[];
  /** Wanted types and hirers; all when empty. */
  readonly types: readonly string[];
  readonly hirers: readonly string[];
  /** True if events go with their objects. */
  readonly objects: boolean;
  readonly retrySeconds?: readonly number[];
  readonly timeoutMs?: number;
  readonly concurrency?: number;
  readonly allowPrivate?: boolean;
}

/** A member of a sink: its JSON Schema, and how its value is read. */
interface Member {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly read: (value: unknown) => Reading<unknown>;
}

const SINKS_MAX = 50;
/** Of all types and hirers together, too: one statement takes them all. */
const ITEMS_MAX = 10_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;
const SECRET_FORM = '`whsec_` and base64 of 24 to 64 bytes; during a rotation the previous one after a comma';

const MEMBERS: Readonly<Record<string, Member>> = {
  name: texts(
    'The name of the sink in figures, states and redeliveries. Its deliveries are stored under it.',
    {
      pattern: NAME,
      fault: 'must be 1 to 40 letters, digits, hyphens and underscores, and begin with a letter or digit',
    },
  ),
  url: parsed(
    'Where events are delivered: https, or a broker by tls (NATS) or amqps (RabbitMQ); on a loopback name also http, nats or amqp.',
    SINKS.EVENT_SINK_URL,
  ),
  secret: {
    schema: { description: `Signs deliveries: ${SECRET_FORM}.`, type: 'string', minLength: 1 },
    read: readSecret,
  },
  secretFile: {
    schema: { description: 'A file with the secret, in place of `secret`.', type: 'string', minLength: 1 },
    read: readSecretFile,
  },
  types: lists('Types of events; all when left out.', {
    pattern: EVENT_TYPE,
    fault: 'must be a list of event types',
  }),
  hirers: lists('Hirers whose events are delivered; those of all, and of none, when left out.', {
    pattern: OBJECT_ID,
    fault: 'must be a list of hirer ids',
  }),
  objects: flags('Whether events go with their objects; true when left out.'),
  retrySeconds: {
    schema: {
      description: 'Pauses after the first failed attempt, the second, and so on; then the event is dead.',
      type: 'array',
      minItems: 1,
      maxItems: RETRIES_MAX,
      items: { type: 'number', exclusiveMinimum: 0, maximum: RETRY_SECONDS_MAX },
    },
    read: readRetrySeconds,
  },
  timeoutMs: integers('Deadline of one delivery.', SINKS.EVENT_SINK_TIMEOUT_MS, 50, 60_000),
  concurrency: integers('Most concurrent deliveries of one replica.', SINKS.EVENT_SINK_CONCURRENCY, 1, 100),
  allowPrivate: flags('Allow a private address other than loopback.'),
};

/** The JSON Schema of the file, which the package ships as `schemas/event-sinks.json`. */
export function sinksSchema(): Readonly<Record<string, unknown>> {
  const members = Object.entries(MEMBERS).map(([name, { schema }]) => [name, schema]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:partner-bff:schema:event-sinks',
    title: 'Event sinks',
    description: 'The file that EVENT_SINKS_FILE names. Names are unique.',
    type: 'object',
    required: ['sinks'],
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      sinks: {
        type: 'array',
        minItems: 1,
        maxItems: SINKS_MAX,
        items: {
          type: 'object',
          required: ['name', 'url'],
          not: { required: ['secret', 'secretFile'] },
          anyOf: [
            { required: ['secret'] },
            { required: ['secretFile'] },
            { properties: { url: { type: 'string', pattern: `^(${BROKER_SCHEMES.join('|')}):` } } },
          ],
          additionalProperties: false,
          properties: Object.fromEntries(members) as Record<string, unknown>,
        },
      },
    },
  };
}

/** Reads the file; the fault names every sink and member that is wrong, and repeats no value. */
export function readSinksFile(path: string): Reading<readonly SinkEntry[]> {
  const content = fileText(path);
  if ('fault' in content) return { fault: `names a file that ${content.fault}` };
  if (content.value.startsWith('\ufeff')) {
    return { fault: `names a file whose text ${textFault(content.value)}` };
  }
  let file: unknown;
  try {
    file = JSON.parse(content.value);
  } catch {
    return { fault: 'names a file that is not JSON' };
  }
  return readSinks(file);
}

function readSinks(file: unknown): Reading<readonly SinkEntry[]> {
  const entries = isRecord(file) ? file['sinks'] : undefined;
  if (!isList(entries, SINKS_MAX)) {
    return { fault: `must hold {"sinks": […]} with 1 to ${SINKS_MAX} sinks` };
  }
  const unknown = Object.keys(file as object).some((name) => name !== 'sinks' && name !== '$schema');
  const faults = unknown ? ['holds members besides "sinks"'] : [];
  const sinks = entries.map((entry, index) => readSink(entry, index, faults));
  const names = sinks.map(({ name }) => name as string | undefined);
  for (const name of new Set(names.filter((one, index) => one && names.indexOf(one) !== index))) {
    faults.push(`sink ${name}: name is used twice`);
  }
  const items = sinks.flatMap(({ types, hirers }) => [types, hirers].flat()).length;
  if (items > ITEMS_MAX) {
    faults.push(`types and hirers of all sinks are ${items} together; at most ${ITEMS_MAX} may be`);
  }
  return faults.length > 0 ? { fault: faults.join('; ') } : { value: sinks as unknown as SinkEntry[] };
}

/** @param faults what is wrong is added to them */
function readSink(entry: unknown, index: number, faults: string[]): Record<string, unknown> {
  if (!isRecord(entry)) {
    faults.push(`sink ${index + 1}: must be an object`);
    return {};
  }
  const name = typeof entry['name'] === 'string' && NAME.test(entry['name']) ? entry['name'] : index + 1;
  const own = faultsOf(entry);
  const values: Record<string, unknown> = { keys: [], types: [], hirers: [], objects: true };
  for (const [member, value] of Object.entries(entry)) {
    const reading = Object.hasOwn(MEMBERS, member) ? MEMBERS[member]!.read(value) : UNKNOWN;
    if ('fault' in reading) own.push(`${clipped(member)} ${reading.fault}`);
    else values[member.startsWith('secret') ? 'keys' : member] = reading.value;
  }
  faults.push(...own.map((fault) => `sink ${name}: ${fault}`));
  return values;
}

const UNKNOWN = { fault: `is not known; the members are ${Object.keys(MEMBERS).join(', ')}` };

function faultsOf(entry: Record<string, unknown>): string[] {
  const faults = ['name', 'url']
    .filter((name) => !Object.hasOwn(entry, name))
    .map((name) => `${name} is missing`);
  const secrets = ['secret', 'secretFile'].filter((name) => Object.hasOwn(entry, name));
  if (secrets.length === 0 && !isBroker(entry['url'])) {
    faults.push('secret is missing, or secretFile in its place');
  }
  if (secrets.length === 2) faults.push('secret and secretFile are both set; keep one');
  return faults;
}

/** To a broker, events may go unsigned. */
function isBroker(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && isBrokerUrl(new URL(url));
}

/** A member as an error names it: the text is whatever stands in the file. */
function clipped(member: string): string {
  return JSON.stringify(member.slice(0, 40)).slice(1, -1);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function texts(description: string, { pattern, fault }: { pattern: RegExp; fault: string }): Member {
  return {
    schema: { description, type: 'string', pattern: pattern.source },
    read: (value) => (typeof value === 'string' && pattern.test(value) ? { value } : { fault }),
  };
}

/** A text that is read as the setting of the single sink is. */
function parsed(description: string, { parse }: Setting<unknown>): Member {
  return {
    schema: { description, type: 'string', minLength: 1 },
    read: (value) => {
      if (typeof value !== 'string' || value === '') return { fault: 'must be a text' };
      const fault = textFault(value);
      return fault === undefined ? parse(value) : { fault };
    },
  };
}

function lists(description: string, { pattern, fault }: { pattern: RegExp; fault: string }): Member {
  const items = { type: 'string', pattern: pattern.source };
  return {
    schema: { description, type: 'array', minItems: 1, maxItems: ITEMS_MAX, items },
    read: (value) =>
      isList(value, ITEMS_MAX) && value.every((item) => typeof item === 'string' && pattern.test(item))
        ? { value }
        : { fault },
  };
}

function isList(value: unknown, itemsMax: number): value is unknown[] {
  return Array.isArray(value) && value.length > 0 && value.length <= itemsMax;
}

function flags(description: string): Member {
  return {
    schema: { description, type: 'boolean' },
    read: (value) => (typeof value === 'boolean' ? { value } : { fault: 'must be true or false' }),
  };
}

function integers(description: string, { parse }: Setting<number>, minimum: number, maximum: number): Member {
  return {
    schema: { description, type: 'integer', minimum, maximum },
    read: (value) => parse(typeof value === 'number' ? String(value) : 'no number'),
  };
}

function readRetrySeconds(value: unknown): Reading<readonly number[]> {
  const isPause = (item: unknown): item is number =>
    typeof item === 'number' && item > 0 && item <= RETRY_SECONDS_MAX;
  return isList(value, RETRIES_MAX) && value.every(isPause)
    ? { value }
    : { fault: `must be 1 to ${RETRIES_MAX} numbers above 0 and up to ${RETRY_SECONDS_MAX}, seconds` };
}

function readSecret(text: unknown): Reading<readonly Buffer[]> {
  const fault = typeof text === 'string' ? textFault(text) : undefined;
  if (fault !== undefined) return { fault };
  const secret = SINKS.EVENT_SINK_SECRET.parse(typeof text === 'string' ? text : '');
  return 'fault' in secret ? { fault: `must be ${SECRET_FORM}` } : secret;
}

function readSecretFile(path: unknown): Reading<readonly Buffer[]> {
  if (typeof path !== 'string' || path === '') return { fault: 'must be a text' };
  const content = fileText(path);
  if ('fault' in content) return content;
  const secret = readSecret(content.value);
  return 'fault' in secret ? { fault: `names a file whose text ${secret.fault}` } : secret;
}
