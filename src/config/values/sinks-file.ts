import { isObject } from '../../json/parse-json.js';
import { isBrokerUrl } from './broker-url.js';
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

const SINKS_MAX = 50;
/** Of all types and hirers together, too: one statement takes them all. */
const ITEMS_MAX = 10_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

type Read = (value: unknown) => Reading<unknown>;

/** How each member of a sink is read; `schemas/event-sinks.json` says the same. */
const MEMBERS: Readonly<Record<string, Read>> = {
  name: onlyIf(
    (value) => typeof value === 'string' && NAME.test(value),
    'must be 1 to 40 letters, digits, hyphens and underscores, and begin with a letter or digit',
  ),
  url: asSetting(SINKS.EVENT_SINK_URL),
  secret: readSecret,
  secretFile: readSecretFile,
  types: listOf(EVENT_TYPE, 'must be a list of event types'),
  hirers: listOf(OBJECT_ID, 'must be a list of hirer ids'),
  objects: onlyIf(isFlag, 'must be true or false'),
  retrySeconds: onlyIf(
    (value) => isList(value, RETRIES_MAX) && value.every(isPause),
    `must be 1 to ${RETRIES_MAX} numbers above 0 and up to ${RETRY_SECONDS_MAX}, seconds`,
  ),
  timeoutMs: asNumber(SINKS.EVENT_SINK_TIMEOUT_MS),
  concurrency: asNumber(SINKS.EVENT_SINK_CONCURRENCY),
  allowPrivate: onlyIf(isFlag, 'must be true or false'),
};

/** Reads the file; the fault names every sink and member that is wrong, and repeats no value. */
export function readSinksFile(path: string): Reading<readonly SinkEntry[]> {
  const content = fileText(path);
  if ('fault' in content) return { fault: `names a file that ${content.fault}` };
  const fault = textFault(content.value, true);
  if (fault !== undefined) return { fault: `names a file whose text ${fault}` };
  try {
    return readSinks(JSON.parse(content.value));
  } catch {
    return { fault: 'names a file that is not JSON' };
  }
}

function readSinks(file: unknown): Reading<readonly SinkEntry[]> {
  const entries = isObject(file) ? file['sinks'] : undefined;
  if (!isList(entries, SINKS_MAX)) {
    return { fault: `must hold {"sinks": […]} with 1 to ${SINKS_MAX} sinks` };
  }
  const unknown = Object.keys(file as object).some((name) => name !== 'sinks' && name !== '$schema');
  const faults = unknown ? ['has properties other than "sinks"'] : [];
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
  if (!isObject(entry)) {
    faults.push(`sink ${index + 1}: must be an object`);
    return {};
  }
  const own = faultsOf(entry);
  const values: Record<string, unknown> = { keys: [], types: [], hirers: [], objects: true };
  for (const [member, value] of Object.entries(entry)) {
    const reading = Object.hasOwn(MEMBERS, member) ? MEMBERS[member]!(value) : UNKNOWN;
    if ('fault' in reading) own.push(`${JSON.stringify(member.slice(0, 40)).slice(1, -1)} ${reading.fault}`);
    else values[member.startsWith('secret') ? 'keys' : member] = reading.value;
  }
  faults.push(...own.map((fault) => `sink ${(values['name'] as string | undefined) ?? index + 1}: ${fault}`));
  return values;
}

const UNKNOWN = { fault: `is not known; the properties are ${Object.keys(MEMBERS).join(', ')}` };

/** To a broker, events may go unsigned. */
function faultsOf(entry: Record<string, unknown>): string[] {
  const has = (name: string): boolean => Object.hasOwn(entry, name);
  const faults = ['name', 'url'].filter((name) => !has(name)).map((name) => `${name} is missing`);
  const url = typeof entry['url'] === 'string' ? URL.parse(entry['url']) : null;
  const isSecretNeeded = url === null || !isBrokerUrl(url);
  if (has('secret') && has('secretFile')) {
    faults.push('secret and secretFile are both set; keep one');
  } else if (isSecretNeeded && !has('secret') && !has('secretFile')) {
    faults.push('secret or secretFile is missing');
  }
  return faults;
}

function onlyIf(isFit: (value: unknown) => boolean, fault: string): Read {
  return (value) => (isFit(value) ? { value } : { fault });
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isPause(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value <= RETRY_SECONDS_MAX;
}

function listOf(pattern: RegExp, fault: string): Read {
  const isItem = (item: unknown): boolean => typeof item === 'string' && pattern.test(item);
  return onlyIf((value) => isList(value, ITEMS_MAX) && value.every(isItem), fault);
}

function isList(value: unknown, itemsMax: number): value is unknown[] {
  return Array.isArray(value) && value.length > 0 && value.length <= itemsMax;
}

/** A text that is read as the setting of the single sink is. */
function asSetting<T>({ parse }: Setting<T>): (value: unknown) => Reading<T> {
  return (value) => {
    if (typeof value !== 'string' || value === '') return { fault: 'must be a string' };
    const fault = textFault(value);
    return fault === undefined ? parse(value) : { fault };
  };
}

function asNumber({ parse }: Setting<number>): Read {
  return (value) => parse(typeof value === 'number' ? String(value) : 'no number');
}

function readSecret(value: unknown): Reading<readonly Buffer[]> {
  return asSetting(SINKS.EVENT_SINK_SECRET)(value);
}

function readSecretFile(path: unknown): Reading<readonly Buffer[]> {
  if (typeof path !== 'string' || path === '') return { fault: 'must be a string' };
  const content = fileText(path);
  if ('fault' in content) return content;
  const secret = readSecret(content.value);
  return 'fault' in secret ? { fault: `names a file whose text ${secret.fault}` } : secret;
}
