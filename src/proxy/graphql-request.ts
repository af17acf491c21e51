import { isUtf8 } from 'node:buffer';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError, invalidRequest } from '../errors/bff-error.js';
import {
  countValues,
  isDeeperThan,
  isObject,
  parseExact,
  unlessTooDeep,
  VALUES_MAX,
} from '../json/parse-json.js';
import { sliceElements, sliceMembers } from '../json/slices.js';
import { AnalyzedDocuments, findRuleBreaks } from '../operations/documents/analyzed-document.js';
import type { ArgumentUse } from '../operations/documents/document-walk.js';
import { callOf, operationOf, type Item, type Operation } from '../operations/operation.js';
import { RegisteredOperations } from '../operations/registered-operations.js';

/** Levels of brackets in a request, its own included; later readers are recursive. */
const NESTING_MAX = 32;

/** The members of a GraphQL request (interface 2.3), each of its type. */
interface RequestMembers {
  readonly query: string | undefined;
  readonly documentId: string | undefined;
  /** Identifier in the form of Apollo's persisted queries. */
  readonly persistedHash: string | undefined;
  readonly operationName: string | undefined;
  /** Parsed so that numbers keep their digits. */
  readonly variables: Readonly<Record<string, unknown>>;
}

@Injectable()
export class GraphqlRequests {
  constructor(
    private readonly documents: AnalyzedDocuments,
    private readonly registered: RegisteredOperations,
    @Inject(CONFIG) private readonly config: Pick<Config, 'BATCH_LIMIT' | 'OPERATION_RULES'>,
  ) {}

  /**
   * The items of an array, each valid or invalid on its own, or the one item of another body. @throws as {@link
   * readItems}
   */
  read(body: unknown): Item | Item[] {
    return readItems(body, this.config.BATCH_LIMIT, (members, bytes, index) => {
      if (members.query === undefined) return this.readRegistered(members, bytes, index);
      const analyzed = this.documents.find(members.query, members.operationName);
      const warnings = this.judge(analyzed.arguments, members);
      return operationOf({ ...analyzed, index, bytes, warnings });
    });
  }

  /** The operation of a body that asks for `version` and nothing else; undefined for any other body. */
  readVersion(body: unknown): Operation | undefined {
    try {
      const item = readItems(body, 1, ({ query, operationName }, bytes, index) => {
        const found = query === undefined ? undefined : this.documents.findVersion(query, operationName);
        return found && operationOf({ ...found, index, bytes });
      });
      return Array.isArray(item) || item instanceof BffError ? undefined : item;
    } catch (error) {
      if (error instanceof BffError) return undefined;
      throw error;
    }
  }

  private readRegistered(members: RequestMembers, bytes: Buffer, index: number): Operation {
    const { documentId, persistedHash, variables } = members;
    const registered = this.registered.find(documentId ?? `sha256:${persistedHash}`);
    if (registered) {
      const warnings = this.judge(registered.compiled.arguments, members);
      return callOf(registered, { index, bytes, variables, warnings });
    }
    if (documentId !== undefined) throw invalidRequest('No operation of this documentId is registered.');
    throw new BffError('persisted_query_not_found');
  }

  private judge(use: ArgumentUse, { variables }: RequestMembers): readonly string[] {
    const rules = this.config.OPERATION_RULES;
    const breaks = rules === 'off' ? [] : findRuleBreaks(use, variables);
    if (rules === 'enforce' && breaks.length > 0) throw invalidRequest(breaks.join(' | '));
    return breaks;
  }
}

/**
 * Reads the body of `POST /graphql`. An item that is no request, or that `read` refuses, is an error in its place;
 * those of an array have the values together, because they are read in one turn of the event loop.
 * @throws BffError `invalid_request`, `batch_limit_exceeded` when the body is refused as a whole
 */
export function readItems<T>(
  body: unknown,
  itemsMax: number,
  read: (members: RequestMembers, bytes: Buffer, index: number) => T,
): T | BffError | (T | BffError)[] {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  if (bytes.length === 0) throw invalidRequest('The body is empty; send a GraphQL request as a JSON object.');
  if (!isUtf8(bytes)) throw invalidRequest('The body is not valid UTF-8.');
  const isSmall = bytes.length <= VALUES_MAX; // each value takes a byte
  let valuesLeft = VALUES_MAX;
  const readItem = (item: Buffer, index: number): T | BffError => {
    const text = item.toString();
    const values = isSmall ? 0 : countValues(text, valuesLeft);
    if (values > valuesLeft) return invalidRequest(`The body has more than ${VALUES_MAX} values.`);
    valuesLeft -= values;
    try {
      return read(readMembers(item, parseBounded(text)), item, index);
    } catch (error) {
      if (error instanceof BffError) return error;
      throw error instanceof SyntaxError ? invalidRequest('The body is not valid JSON.') : error;
    }
  };
  const items = sliceElements(bytes, itemsMax + 1);
  if (!items) return readItem(bytes, 0);
  if (items.length === 0) throw invalidRequest('The array holds no request.');
  if (items.length <= itemsMax) return items.map(readItem);
  throw new BffError('batch_limit_exceeded', {
    detail: `The array holds more than ${itemsMax} requests; send fewer at once.`,
  });
}

function parseBounded(text: string): unknown {
  const tooDeep = (): never => {
    throw invalidRequest('The request is nested too deeply.');
  };
  const value = unlessTooDeep(() => parseExact(text), tooDeep);
  return isDeeperThan(NESTING_MAX, value) ? tooDeep() : value;
}

function readMembers(bytes: Buffer, value: unknown): RequestMembers {
  if (!isObject(value)) throw invalidRequest('A GraphQL request is a JSON object.');
  if (!areSameNames(bytes, Object.keys(value))) {
    throw invalidRequest('A member of the request is given more than once, or its name cannot be read.');
  }
  const [query, documentId, operationName] = ['query', 'documentId', 'operationName'].map((name) =>
    readText(value, name),
  );
  const persisted = readObject(value, 'extensions')?.['persistedQuery'];
  const persistedHash = isObject(persisted) ? readText(persisted, 'sha256Hash') : undefined;
  if (query !== undefined && documentId !== undefined) {
    throw invalidRequest('Send either query or documentId, not both.');
  }
  if (query === undefined && documentId === undefined && persistedHash === undefined) {
    throw invalidRequest('The request needs a query, or the documentId of a registered operation.');
  }
  return { query, documentId, persistedHash, operationName, variables: readObject(value, 'variables') ?? {} };
}

/**
 * True if parsing found each member once and under its own name: after certain bodies V8 reads an escaped name as
 * another one (nodejs/node#63785), and what is judged would not be what is sent.
 */
function areSameNames(bytes: Buffer, read: readonly string[]): boolean {
  const names = (sliceMembers(bytes) ?? []).map(({ name }) => name);
  const known = new Set(names);
  return names.length === read.length && read.every((name) => known.has(name));
}

function readText(value: Record<string, unknown>, name: string): string | undefined {
  const member = value[name] ?? undefined;
  if (member === undefined || typeof member === 'string') return member;
  throw invalidRequest(`The property ${name} must be a string.`);
}

function readObject(value: Record<string, unknown>, name: string): Record<string, unknown> | undefined {
  const member = value[name] ?? undefined;
  if (member === undefined || isObject(member)) return member;
  throw invalidRequest(`The property ${name} must be a JSON object.`);
}
