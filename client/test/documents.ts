import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import ts from 'typescript';
import { newFolder } from '../../test/support/machine.js';
import { loadOperations } from '../../src/operations/registered-operations.js';
import { readSchema } from '../../src/operations/check-documents.js';
import { operationTypes } from '../../scripts/operation-types.js';

/** A document as `npm run operations -- types` writes it. */
export type GeneratedDocument = TypedDocumentNode<unknown, Record<string, unknown>> & {
  readonly documentId: string;
  readonly __meta__: { readonly hash: string };
};

/** The text that `npm run operations -- types` writes for the shipped operations. */
export function generatedText(): Promise<string> {
  const compiled = [...loadOperations(['shipped']).all()].map((operation) => operation.compiled);
  return operationTypes(readSchema(readFileSync('playground/schema.graphql', 'utf8')), compiled);
}

/** Its module. */
export async function generatedDocuments(): Promise<Record<string, GeneratedDocument>> {
  const text = await generatedText();
  const file = join(newFolder(), 'operations.mjs');
  writeFileSync(file, ts.transpile(text, { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }));
  return { ...((await import(file)) as Record<string, GeneratedDocument>) };
}
