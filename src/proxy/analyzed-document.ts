import { hash } from 'node:crypto';
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { BffError } from '../errors/bff-error.js';
import { checkDocumentLimits, type DocumentLimits, type Fragments } from './document-limits.js';
import { readArguments, type ArgumentUse } from './operation-rules.js';

/** What the service knows of one operation of a text. */
export interface AnalyzedOperation {
  readonly name: string | undefined;
  readonly type: 'query' | 'mutation';
  /** Whether it asks for `version` alone, the one field that needs no token (interface 5.1). */
  readonly versionOnly: boolean;
  /** Response keys of the root fields, as far as the text itself shows them. */
  readonly rootKeys: readonly string[];
  readonly arguments: ArgumentUse;
}

/** A text's operations, or why it is refused. */
type Analysis = readonly AnalyzedOperation[] | BffError;

const DOCUMENTS_MAX = 1_000;
/** More is comments, blanks or values that belong in variables; hashing and parsing it would be the caller's gain. */
const CHARACTERS_PER_TOKEN_MAX = 64;

/** Texts that were parsed and checked, remembered under their SHA-256. A refusal is remembered like anything else. */
export class AnalyzedDocuments {
  private readonly known = new LRUCache<string, { readonly analysis: Analysis }>({ max: DOCUMENTS_MAX });

  constructor(private readonly limits: DocumentLimits) {}

  /**
   * The operation of the text that a request means.
   * @throws BffError `invalid_request`
   */
  find(text: string, operationName: string | undefined): AnalyzedOperation {
    const analysis = this.analyze(text);
    if (analysis instanceof BffError) throw analysis;
    const [first, ...others] = analysis;
    const chosen =
      operationName === undefined
        ? others.length === 0 && first
        : analysis.find(({ name }) => name === operationName);
    if (chosen) return chosen;
    throw new BffError('invalid_request', {
      detail:
        operationName === undefined
          ? 'The text holds several operations: name one in operationName.'
          : 'The text holds no operation of that operationName.',
    });
  }

  private analyze(text: string): Analysis {
    const charactersMax = this.limits.tokensMax * CHARACTERS_PER_TOKEN_MAX;
    if (text.length > charactersMax)
      return new BffError('invalid_request', {
        detail: `The text is longer than ${charactersMax} characters.`,
      });
    const key = hash('sha256', text, 'base64');
    const known = this.known.get(key);
    if (known) return known.analysis;
    const analysis = analyzeText(text, this.limits);
    this.known.set(key, { analysis });
    return analysis;
  }
}

function analyzeText(text: string, limits: DocumentLimits): Analysis {
  try {
    const document = parse(text, { maxTokens: limits.tokensMax });
    const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
    if (operations.length === 0)
      throw new BffError('invalid_request', { detail: 'The text holds no operation.' });
    const fragments = fragmentsOf(document);
    return operations.map((operation) => analyzeOperation(document, operation, fragments, limits));
  } catch (fault) {
    if (fault instanceof BffError) return fault;
    if (fault instanceof GraphQLError)
      return new BffError('invalid_request', { detail: describeFault(fault) });
    if (fault instanceof RangeError)
      return new BffError('invalid_request', { detail: 'The operation is nested too deeply.' });
    throw fault;
  }
}

function analyzeOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  fragments: Fragments,
  limits: DocumentLimits,
): AnalyzedOperation {
  if (operation.operation === OperationTypeNode.SUBSCRIPTION)
    throw new BffError('invalid_request', {
      detail: 'Subscriptions are not served; use the event stream.',
    });
  checkDocumentLimits(operation, fragments, limits);
  const { selections } = operation.selectionSet;
  return {
    name: operation.name?.value,
    type: operation.operation,
    versionOnly:
      operation.operation === OperationTypeNode.QUERY &&
      selections.every((node) => node.kind === Kind.FIELD && node.name.value === 'version'),
    rootKeys: selections.map((node) =>
      node.kind === Kind.FIELD ? (node.alias ?? node.name).value : '(fragment)',
    ),
    arguments: readArguments(document, operation),
  };
}

/** The fragments of a document, by name. */
export function fragmentsOf(document: DocumentNode): Fragments {
  return new Map(
    document.definitions
      .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
}

function describeFault({ message, locations }: GraphQLError): string {
  const place = locations?.[0];
  return place ? `${message} (line ${place.line}, column ${place.column})` : message;
}
