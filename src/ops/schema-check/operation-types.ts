import { codegen } from '@graphql-codegen/core';
import * as operations from '@graphql-codegen/typescript-operations';
import * as documents from '@graphql-codegen/typed-document-node';
import { Kind, parse, printSchema, visit, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { CompiledOperation } from '../../operations/compile/compiled-operation.js';

/** Development only: the packages that this file imports are not in a production installation. */

const SCALARS = { DateTime: 'string', Date: 'string', HistoryDate: 'string' };
const HEADER = `// Written by "npm run operations -- types". partner-bff-client sends a document by the name that it carries; without it,
// send {"documentId": document.documentId, "variables": …}.
`;
/** A document as the generator writes it, up to the name of its operation. */
const DOCUMENT =
  /= \{("kind":"Document",.*?"kind":"OperationDefinition","operation":"\w+","name":\{"kind":"Name","value":"(\w+)"\}.*) as unknown as (.*);$/gm;

/**
 * TypeScript types of operations: for each a `TypedDocumentNode` named `<name>Document`, with the types of its data and
 * its variables. It carries the operation's name as `documentId`, since its text would be a free operation. A variable that
 * the service sets to the hirer may be left out.
 * @throws Error when an operation is not valid in the schema
 */
export async function operationTypes(
  schema: GraphQLSchema,
  compiled: readonly CompiledOperation[],
): Promise<string> {
  const text = await generate(schema, compiled, { operations, documents });
  return (
    HEADER + text.replaceAll(DOCUMENT, '= {"documentId":"$2",$1 as unknown as $3 & { documentId: string };')
  );
}

/**
 * TypeScript types of the data of operations alone: for each a type named `<name>Query`.
 * @throws Error when an operation is not valid in the schema
 */
export async function dataTypes(
  schema: GraphQLSchema,
  compiled: readonly CompiledOperation[],
): Promise<string> {
  return `// Written by "npm run docs".\n${await generate(schema, compiled, { operations })}`;
}

function generate(
  schema: GraphQLSchema,
  compiled: readonly CompiledOperation[],
  pluginMap: Parameters<typeof codegen>[0]['pluginMap'],
): Promise<string> {
  return codegen({
    schema: parse(printSchema(schema)),
    documents: compiled.map((operation) => ({
      location: operation.source,
      document: withOptionalHirer(operation),
    })),
    filename: 'operations.ts',
    config: { useTypeImports: true, enumsAsTypes: true, strictScalars: false, scalars: SCALARS },
    plugins: Object.keys(pluginMap).map((name) => ({ [name]: {} })),
    pluginMap,
  });
}

/** A default value makes a variable optional for the types, and the operation stays valid. */
function withOptionalHirer({ document, bindings }: CompiledOperation): DocumentNode {
  const bound = new Set(
    bindings.flatMap((binding) =>
      binding.kind === 'variable' && binding.variable.length === 1 ? binding.variable : [],
    ),
  );
  return visit(document, {
    VariableDefinition: (node) =>
      bound.has(node.variable.name.value)
        ? { ...node, defaultValue: { kind: Kind.STRING, value: '' } }
        : undefined,
  });
}
