import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import { AnalyzedDocuments } from '../operations/documents/analyzed-document.js';
import { findRuleBreaks, type ArgumentUse } from '../operations/documents/operation-rules.js';
import { readVersionQuery } from '../operations/documents/version-query.js';
import { operationOf, type Item, type Operation } from '../operations/operation.js';
import type { RegisteredOperation } from '../operations/registered-operation.js';
import { RegisteredOperations } from '../operations/registered-operations.js';
import { readItems, type RequestMembers } from './request-items.js';

/** Settings that {@link OperationReader} reads. */
type ReaderSettings = Pick<Config, 'BATCH_LIMIT' | 'OPERATION_RULES'>;

/** Reads the operations of a body, and judges them by the rules of interface 4.3 (`OPERATION_RULES`). */
@Injectable()
export class OperationReader {
  constructor(
    private readonly documents: AnalyzedDocuments,
    private readonly registered: RegisteredOperations,
    @Inject(CONFIG) private readonly config: ReaderSettings,
  ) {}

  /**
   * The items of an array, each right or wrong on its own, or the one item of another body.
   * @throws BffError `invalid_request`, `batch_limit_exceeded` when the body is refused as a whole
   */
  read(body: unknown): Item | Item[] {
    return readItems(body, this.config.BATCH_LIMIT, (members, bytes, index) =>
      members.query === undefined
        ? this.readRegistered(members, bytes, index)
        : this.readText(members.query, members, bytes, index),
    );
  }

  /** The operation of a body that asks for `version` and nothing else; undefined for any other body. */
  readVersion(body: unknown): Operation | undefined {
    try {
      const item = readItems(body, 1, ({ query, operationName }, bytes, index) => {
        const rootKeys = query === undefined ? undefined : readVersionQuery(query, operationName);
        return rootKeys && operationOf({ index, bytes, type: 'query', rootKeys, versionOnly: true });
      });
      return Array.isArray(item) || item instanceof BffError ? undefined : item;
    } catch (error) {
      if (error instanceof BffError) return undefined;
      throw error;
    }
  }

  private readText(text: string, members: RequestMembers, bytes: Buffer, index: number): Operation {
    const operation = this.documents.find(text, members.operationName);
    const { type, rootKeys, label, versionOnly } = operation;
    const warnings = this.judge(operation.arguments, members);
    return operationOf({ index, bytes, type, rootKeys, label, versionOnly, warnings });
  }

  private readRegistered(members: RequestMembers, bytes: Buffer, index: number): Operation {
    const registered = this.findRegistered(members);
    const { type, rootKeys, arguments: use } = registered.compiled;
    const warnings = this.judge(use, members);
    return operationOf({ index, bytes, type, rootKeys, registered, warnings });
  }

  private findRegistered({ documentId, persistedHash }: RequestMembers): RegisteredOperation {
    if (documentId !== undefined) {
      const operation = this.registered.find(documentId);
      if (operation) return operation;
      throw new BffError('invalid_request', { detail: 'No operation of this documentId is registered.' });
    }
    const operation = this.registered.find(`sha256:${persistedHash}`) ?? this.registered.find(persistedHash!);
    if (operation) return operation;
    throw new BffError('persisted_query_not_found');
  }

  private judge(use: ArgumentUse, { variables }: RequestMembers): readonly string[] {
    const rules = this.config.OPERATION_RULES;
    if (rules === 'off') return [];
    const breaks = findRuleBreaks(use, variables);
    if (breaks.length === 0 || rules === 'warn') return breaks;
    throw new BffError('invalid_request', { detail: breaks.join(' | ') });
  }
}
