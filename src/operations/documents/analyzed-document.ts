import { Inject, Injectable } from '@nestjs/common';
import {
  GraphQLError,
  GraphQLSchema,
  Kind,
  KnownFragmentNamesRule,
  LoneAnonymousOperationRule,
  NoFragmentCyclesRule,
  OperationTypeNode,
  UniqueFragmentNamesRule,
  UniqueOperationNamesRule,
  getOperationAST,
  parse,
  validate,
  type DocumentNode,
  type SelectionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError, clip, invalidRequest } from '../../errors/bff-error.js';
import { unlessTooDeep } from '../../json/parse-json.js';
import type { Operation } from '../operation.js';
import { BREAKS_MAX, fragmentsOf, walkOperation, type ArgumentUse } from './document-walk.js';

type DocumentLimits = Pick<Config, 'DOCUMENT_TOKENS_MAX' | 'DOCUMENT_DEPTH_MAX'>;

interface AnalyzedOperation extends Pick<Operation, 'type' | 'versionOnly' | 'rootKeys' | 'label'> {
  readonly arguments: ArgumentUse;
}

type Analysis = AnalyzedOperation | BffError;

/** What GraphQL says of definitions without a schema: servers differ in which of two of one name they use. */
const RULES = [
  KnownFragmentNamesRule,
  LoneAnonymousOperationRule,
  NoFragmentCyclesRule,
  UniqueFragmentNamesRule,
  UniqueOperationNamesRule,
];
const ROOT_FIELDS_MAX = 30;
const ALIASES_MAX = 60;
/** Fields of a text that its label names. */
const NAMED_FIELDS_MAX = 3;
/** Enough for `query Name { a: version b: version }`. */
const VERSION_LIMITS: DocumentLimits = { DOCUMENT_TOKENS_MAX: 32, DOCUMENT_DEPTH_MAX: 1 };
const NO_SCHEMA = new GraphQLSchema({ assumeValid: true });

const REMEMBERED_BYTES_MAX = 16_777_216;
/** A longer text is comments, blanks or values that belong in variables, and is not worth hashing and parsing. */
const CHARACTERS_PER_TOKEN_MAX = 64;
const FAULT_CHARACTERS_MAX = 300;
const PATH_CHARACTERS_MAX = 200;
/** What is kept of a text: its keys and names, or the stack of an error. */
const OVERHEAD_BYTES = 4_096;

/**
 * Operations and refusals, remembered by text and name up to a total size. The work, and what is kept, grow with the
 * size of the text: its definitions, and the operation that is asked for with the fragments it reaches.
 */
@Injectable()
export class AnalyzedDocuments {
  private readonly known: LRUCache<string, Analysis>;

  constructor(
    @Inject(CONFIG) private readonly limits: DocumentLimits,
    @Default() rememberedBytesMax: number = REMEMBERED_BYTES_MAX,
  ) {
    this.known = new LRUCache({ maxSize: rememberedBytesMax });
  }

  /** @throws BffError `invalid_request` */
  find(text: string, operationName: string | undefined): AnalyzedOperation {
    const charactersMax = this.limits.DOCUMENT_TOKENS_MAX * CHARACTERS_PER_TOKEN_MAX;
    if (text.length > charactersMax) {
      throw invalidRequest(`The text is longer than ${charactersMax} characters.`);
    }
    const key = `${operationName?.length}:${operationName}${text}`;
    let analysis = this.known.get(key);
    if (!analysis) {
      analysis = analyzeText(text, operationName, this.limits);
      // names of an analysis keep the whole text in memory, two bytes a character; sentences about it are as long
      this.known.set(key, analysis, { size: OVERHEAD_BYTES + 4 * key.length });
    }
    if (analysis instanceof BffError) throw analysis;
    return analysis;
  }

  /**
   * The operation of a text that is the `version` query and nothing else. It reads at most 32 tokens and remembers
   * nothing, because anyone can send the text.
   */
  findVersion(text: string, operationName: string | undefined): AnalyzedOperation | undefined {
    const analysis = analyzeText(text, operationName, VERSION_LIMITS);
    return !(analysis instanceof BffError) && analysis.versionOnly ? analysis : undefined;
  }
}

function analyzeText(text: string, operationName: string | undefined, limits: DocumentLimits): Analysis {
  const analyze = (): Analysis => {
    const document = parse(text, { maxTokens: limits.DOCUMENT_TOKENS_MAX, noLocation: true });
    const [fault] = validate(NO_SCHEMA, document, RULES, { maxErrors: 1 });
    if (fault) throw fault;
    return analyzeDocument(document, operationName, limits);
  };
  try {
    return unlessTooDeep(analyze, () => invalidRequest('The operation is nested too deeply.'));
  } catch (error) {
    if (error instanceof BffError) return error;
    if (error instanceof GraphQLError) return invalidRequest(describeFault(error));
    throw error;
  }
}

function analyzeDocument(
  document: DocumentNode,
  name: string | undefined,
  limits: DocumentLimits,
): AnalyzedOperation {
  const operation = getOperationAST(document, name);
  if (!operation) {
    throw invalidRequest('The text holds no operation of that operationName, or several and none is named.');
  }
  const { operation: type } = operation;
  const { selections } = operation.selectionSet;
  if (type === OperationTypeNode.SUBSCRIPTION) {
    throw invalidRequest('Subscriptions are not served; use the event stream.');
  }
  const { fields, depth, aliases, arguments: use } = walkOperation(operation, fragmentsOf(document));
  refuseAbove(fields, ROOT_FIELDS_MAX, 'root fields');
  refuseAbove(depth, limits.DOCUMENT_DEPTH_MAX, 'levels');
  refuseAbove(aliases, ALIASES_MAX, 'aliases');
  const rootKeys = selections.map((node) =>
    node.kind === Kind.FIELD ? (node.alias ?? node.name).value : '(fragment)',
  );
  const isAlone = document.definitions.length === 1 && type === OperationTypeNode.QUERY;
  const versionOnly = isAlone && selections.every(isVersion);
  const more = rootKeys.length > NAMED_FIELDS_MAX ? ' …' : '';
  const names = clip(rootKeys.slice(0, NAMED_FIELDS_MAX).join(' '));
  const label = Buffer.from(`${type} { ${names}${more} }`).toString(); // a copy: audit records would keep the text
  return { type, versionOnly, rootKeys, label, arguments: use };
}

function isVersion(node: SelectionNode): boolean {
  const isField = node.kind === Kind.FIELD && node.name.value === 'version';
  return isField && !node.selectionSet && !node.arguments?.length;
}

function refuseAbove(count: number, max: number, what: string): void {
  if (count > max) throw invalidRequest(`The text has more than ${max} ${what}.`);
}

/** A fault of the parser may quote a token, which may be long. */
function describeFault({ message, locations }: GraphQLError): string {
  const location = locations?.[0];
  const text = clip(message, FAULT_CHARACTERS_MAX);
  return location ? `${text} (line ${location.line}, column ${location.column})` : text;
}

/**
 * Rules 1 and 2 of interface 4.3 for one call: a sentence for each break. None has a value, which may be personal: the
 * sentences go to the log. The walk is recursive, so `variables` are as deep as a request may be.
 */
export function findRuleBreaks(
  { inlined, optional }: ArgumentUse,
  variables: Readonly<Record<string, unknown>>,
): readonly string[] {
  const breaks: string[] = [];
  for (const use of inlined) breaks.push(`${use} is inlined; pass it as a variable`);
  for (const [name, use] of optional) {
    if (use === undefined || Object.hasOwn(variables, name)) continue;
    breaks.push(`${use} is set to $${clip(name)}, which carries no value; leave the argument out`);
  }
  for (const name in variables) {
    const value = variables[name];
    if (optional.has(name) || typeof value === 'object') findEmpty(value, clip(name), breaks);
  }
  return breaks.slice(0, BREAKS_MAX);
}

/**
 * Null and empty texts, as a variable and as members of input objects; the elements of a list are not arguments.
 */
function findEmpty(value: unknown, path: string, breaks: string[]): void {
  if (breaks.length >= BREAKS_MAX) return;
  if (value === null || value === '') {
    const what = value === null ? 'null' : 'an empty string';
    breaks.push(`$${clip(path, PATH_CHARACTERS_MAX)} is ${what}; leave it out when it is not used`);
  }
  if (typeof value !== 'object') return;
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (!Array.isArray(value)) findEmpty(member, `${path}.${clip(key)}`, breaks);
    else if (typeof member === 'object' && member !== null) findEmpty(member, `${path}[${key}]`, breaks);
  }
}
