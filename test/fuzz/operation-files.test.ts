import fc from 'fast-check';
import { GraphQLError, parse } from 'graphql';
import { compileOperation } from '../../src/operations/compile/compile-operation.js';
import { printWithout } from '../../src/operations/registered-operation.js';
import {
  GRAPHQL_PIECES,
  anyDocumentText,
  graphqlNames,
  operationFileText,
} from './generators/graphql-texts.js';
import { growsLinearly } from './growth.js';
import { target } from './target.js';

/** The value that was read, or undefined when the file has a fault, which names a line. */
function readOrFault<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    expect(error.locations?.[0]?.line ?? 1).toBeGreaterThanOrEqual(1);
    return undefined;
  }
}

const compile = (text: string) => compileOperation(text, 'a.graphql');
const fileText = fc.oneof({ weight: 3, arbitrary: operationFileText }, anyDocumentText);

target(
  'operation files',
  {
    'a file compiles, or has a fault with its line': fc.property(fileText, (text) => {
      readOrFault(() => compile(text));
    }),
    'what is sent for a compiled operation parses, whatever variables are left out': fc.property(
      operationFileText,
      fc.uniqueArray(graphqlNames),
      (text, absent) => {
        const compiled = readOrFault(() => compile(text));
        if (compiled) expect(() => parse(printWithout(compiled.document, new Set(absent)))).not.toThrow();
      },
    ),
    'no directive of ours leaves the service': fc.property(operationFileText, (text) => {
      const compiled = readOrFault(() => compile(text));
      if (!compiled) return;
      const directives = printWithout(compiled.document, new Set()).replaceAll(/"""[^]*?"""|"[^"]*"/g, '');
      expect(directives).not.toMatch(/@(hirer|token|cache|max|attachment|role)\b/);
    }),
  },
  { growth: growsLinearly(GRAPHQL_PIECES, compile) },
);
