import { BffError } from '../errors/bff-error.js';
import type { HirerEntry } from '../hirer-access/hirer-gate.js';
import type { AnalyzedDocuments, AnalyzedOperation } from './documents/analyzed-document.js';
import type { OperationRequest } from './operation-request.js';
import { findRuleBreaks, type ArgumentUse } from './documents/operation-rules.js';
import type { RegisteredOperation } from './operations/registered-operation.js';
import type { RegisteredOperations } from './operations/registered-operations.js';
import { readVersionQuery } from './documents/version-query.js';

/** What is to be done for one item of a request. */
export type Plan =
  | { readonly kind: 'refused'; readonly error: BffError }
  | {
      readonly kind: 'text';
      readonly request: OperationRequest;
      readonly operation: AnalyzedOperation;
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: 'registered';
      readonly request: OperationRequest;
      readonly operation: RegisteredOperation;
      readonly warnings: readonly string[];
    };

const NO_WARNINGS: readonly string[] = [];
const NO_ARGUMENTS: ArgumentUse = { inlined: [], optional: new Map() };

/** The plan as the roles of a member allow it: an operation that they do not open is refused. */
export function authorize(plan: Plan, member: HirerEntry): Plan {
  const error = plan.kind === 'registered' ? plan.operation.refusalFor(member) : undefined;
  return error ? { kind: 'refused', error } : plan;
}

/** Decides what is to be done for an item. */
export class Planner {
  constructor(
    private readonly documents: AnalyzedDocuments,
    private readonly registered: RegisteredOperations,
    private readonly rules: 'enforce' | 'warn' | 'off',
  ) {}

  plan(request: OperationRequest | BffError): Plan {
    if (request instanceof BffError) return { kind: 'refused', error: request };
    try {
      return request.query === undefined
        ? this.planRegistered(request)
        : this.planText(request, request.query);
    } catch (error) {
      if (error instanceof BffError) return { kind: 'refused', error };
      throw error;
    }
  }

  /** The plan of the `version` query, for a caller without a user; undefined for anything else. */
  planVersion(request: OperationRequest): Plan | undefined {
    if (request.query === undefined) return undefined;
    const rootKeys = readVersionQuery(request.query, request.operationName);
    if (!rootKeys) return undefined;
    const operation = { type: 'query', versionOnly: true, rootKeys, arguments: NO_ARGUMENTS } as const;
    return { kind: 'text', request, operation, warnings: NO_WARNINGS };
  }

  private planText(request: OperationRequest, text: string): Plan {
    const operation = this.documents.find(text, request.operationName);
    return { kind: 'text', request, operation, warnings: this.judge(operation.arguments, request) };
  }

  private planRegistered(request: OperationRequest): Plan {
    const { documentId, persistedHash } = request;
    const operation =
      documentId === undefined
        ? (this.registered.find(`sha256:${persistedHash}`) ?? this.registered.find(persistedHash!))
        : this.registered.find(documentId);
    if (operation) {
      return {
        kind: 'registered',
        request,
        operation,
        warnings: this.judge(operation.compiled.arguments, request),
      };
    }
    if (documentId === undefined) throw new BffError('persisted_query_not_found');
    throw new BffError('invalid_request', { detail: 'No operation of this documentId is registered.' });
  }

  private judge(use: ArgumentUse, { variables }: OperationRequest): readonly string[] {
    if (this.rules === 'off') return NO_WARNINGS;
    const breaks = findRuleBreaks(use, variables);
    if (breaks.length === 0 || this.rules === 'warn') return breaks;
    throw new BffError('invalid_request', { detail: breaks.join(' | ') });
  }
}
