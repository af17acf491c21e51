import { isUtf8 } from 'node:buffer';
import { BffError } from '../errors/bff-error.js';
import { hasMoreValues, measureJson } from '../json/measure-json.js';
import { VALUES_MAX } from '../json/parse-json-object.js';
import { isObject } from '../json/is-object.js';
import { sliceElements, sliceMembers, type MemberSlice } from '../json/slices.js';

/** The members of a GraphQL request (interface 2.3), each of its type. */
export interface RequestMembers {
  readonly query: string | undefined;
  readonly documentId: string | undefined;
  /** Identifier in the form of Apollo's persisted queries. */
  readonly persistedHash: string | undefined;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Makes an item of its members and of its bytes as they came. */
type ReadItem<T> = (members: RequestMembers, bytes: Buffer, index: number) => T;

/** Levels of brackets in a request, its own included; later readers are recursive. */
const NESTING_MAX = 32;

/**
 * Reads the body of `POST /graphql`: one request, or the items of an array. An item that is not a request, that `read`
 * refuses, or that has too many values, is an error in its place.
 * @throws BffError `invalid_request`, `batch_limit_exceeded` when the body is refused as a whole
 */
export function readItems<T>(
  body: unknown,
  itemsMax: number,
  read: ReadItem<T>,
): T | BffError | (T | BffError)[] {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  if (bytes.length === 0) throw invalid('The body is empty; send a GraphQL request as a JSON object.');
  if (!isUtf8(bytes)) throw invalid('The body is not valid UTF-8.');
  const slices = sliceElements(bytes, itemsMax + 1);
  if (!slices) {
    return hasMoreValues(bytes.toString(), VALUES_MAX) ? tooManyValues() : readItem(bytes, 0, read);
  }
  if (slices.length === 0) throw invalid('The array holds no request.');
  if (slices.length > itemsMax) {
    throw new BffError('batch_limit_exceeded', {
      detail: `The array holds more than ${itemsMax} requests; send fewer at once.`,
    });
  }
  let valuesLeft = VALUES_MAX;
  return slices.map((slice, index) => {
    const { values } = measureJson(slice.toString());
    if (values > valuesLeft) return tooManyValues();
    valuesLeft -= values;
    return readItem(slice, index, read);
  });
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalid('The body is not valid JSON.');
  }
}

function readItem<T>(bytes: Buffer, index: number, read: ReadItem<T>): T | BffError {
  const value = parseJson(bytes);
  try {
    return read(readMembers(bytes, value), bytes, index);
  } catch (error) {
    if (error instanceof BffError) return error;
    throw error;
  }
}

function readMembers(bytes: Buffer, value: unknown): RequestMembers {
  if (!isObject(value)) throw invalid('A GraphQL request is a JSON object.');
  const members = sliceMembers(bytes, NESTING_MAX - 1);
  if (!members) throw invalid('The request is nested too deeply.');
  if (!areSameNames(members, Object.keys(value))) {
    throw invalid('A member of the request is given more than once, or its name cannot be read.');
  }
  const query = readText(value, 'query');
  const documentId = readText(value, 'documentId');
  const extensions = readObject(value, 'extensions');
  const persisted = extensions?.['persistedQuery'];
  const persistedHash = isObject(persisted) ? readText(persisted, 'sha256Hash') : undefined;
  if (query !== undefined && documentId !== undefined) {
    throw invalid('Send either query or documentId, not both.');
  }
  if (query === undefined && documentId === undefined && persistedHash === undefined) {
    throw invalid('The request needs a query, or the documentId of a registered operation.');
  }
  const operationName = readText(value, 'operationName');
  return { query, documentId, persistedHash, operationName, variables: readObject(value, 'variables') ?? {} };
}

/**
 * True if parsing found each member of the bytes once and under its own name. After certain bodies V8 reads an escaped
 * name as another one (nodejs/node#63785), and what is judged would not be what is sent.
 */
function areSameNames(members: readonly MemberSlice[], read: readonly string[]): boolean {
  if (members.length !== read.length) return false;
  if (members.every(({ name }, index) => name === read[index])) return true;
  const names = new Set(members.map(({ name }) => name)); // names that are numbers come first in an object
  return read.every((name) => names.has(name));
}

function readText(value: Record<string, unknown>, name: string): string | undefined {
  const member = value[name];
  if (member === undefined || member === null) return undefined;
  if (typeof member !== 'string') throw invalid(`The member ${name} must be a text.`);
  return member;
}

function readObject(value: Record<string, unknown>, name: string): Record<string, unknown> | undefined {
  const member = value[name];
  if (member === undefined || member === null) return undefined;
  if (!isObject(member)) throw invalid(`The member ${name} must be a JSON object.`);
  return member;
}

/** The items of an array have them together, because they are read in one turn of the event loop. */
function tooManyValues(): BffError {
  return invalid(`The body has more than ${VALUES_MAX} values.`);
}

function invalid(detail: string): BffError {
  return new BffError('invalid_request', { detail });
}
