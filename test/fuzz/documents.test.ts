import { parse } from 'graphql';
import fc from 'fast-check';
import { BffError } from '../../src/errors/bff-error.js';
import { AnalyzedDocuments, findRuleBreaks } from '../../src/operations/documents/analyzed-document.js';
import { readItems } from '../../src/proxy/graphql-request.js';
import { GRAPHQL_PIECES, anyDocumentText, graphqlNames } from './generators/graphql-texts.js';
import {
  JSON_PIECES,
  anyJsonBytes,
  objectLike,
  objectText,
  quoted,
  bytesOf,
} from './generators/json-texts.js';
import { growsLinearly } from './growth.js';
import { readOrRefuse, target } from './target.js';

const LIMITS = {
  DOCUMENT_TOKENS_MAX: 2_000,
  DOCUMENT_DEPTH_MAX: 20,
};
const BATCH_LIMIT = 10;
const ANSWER_PER_CHARACTER = 10;
const ANSWER_CHARACTERS = 2_000;

const request = objectLike({
  query: quoted(anyDocumentText),
  variables: objectText,
  operationName: quoted(graphqlNames),
  extensions: objectText,
});
const registeredRequest = objectLike({ documentId: quoted(graphqlNames), variables: objectText });
const anyRequest = fc.oneof(request, registeredRequest);
const requestBody = fc.oneof(
  anyRequest,
  fc.array(anyRequest, { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
);

/** The service's analysis of the operation of a text, and of one call of it. */
function analyze(text: string, operationName?: string, variables: Record<string, unknown> = {}) {
  const operation = new AnalyzedDocuments(LIMITS).find(text, operationName);
  return { operation, breaks: findRuleBreaks(operation.arguments, variables) };
}

/** The service's reading of each item of a body; undefined for a body that is refused. */
function readRequests(bytes: Buffer) {
  return readOrRefuse(['invalid_request', 'batch_limit_exceeded'], () => {
    const read = readItems(bytes, BATCH_LIMIT, (members, itemBytes) => ({ ...members, bytes: itemBytes }));
    return Array.isArray(read) ? read : [read];
  });
}

/** The one item of a body that is not an array. @throws BffError when it is refused */
function readRequest(bytes: Buffer) {
  const [item] = readRequests(bytes) ?? [];
  if (item instanceof BffError) throw item;
  return item;
}

target(
  'GraphQL documents',
  {
    'a text is analysed or refused as an invalid request': fc.property(
      anyDocumentText,
      fc.option(graphqlNames, { nil: undefined }),
      (text, name) => {
        readOrRefuse(['invalid_request'], () => analyze(text, name));
      },
    ),
    'what is analysed parses, and what asks for version alone has no other root field': fc.property(
      anyDocumentText,
      (text) => {
        const known = readOrRefuse(['invalid_request'], () => analyze(text));
        if (!known) return;
        expect(() => parse(text)).not.toThrow();
        if (known.operation.versionOnly) expect(known.operation.type).toBe('query');
      },
    ),
    'what is said about a text is no longer than a few times the text': fc.property(
      anyDocumentText,
      objectText,
      (text, variables) => {
        let said = '';
        try {
          said = analyze(text, undefined, JSON.parse(variables)).breaks.join();
        } catch (error) {
          if (!(error instanceof BffError)) throw error;
          said = error.detail;
        }
        const sent = text.length + variables.length;
        expect(said.length).toBeLessThan(ANSWER_CHARACTERS + ANSWER_PER_CHARACTER * sent);
      },
    ),
  },
  { growth: growsLinearly(GRAPHQL_PIECES, (text) => analyze(text)) },
);

target(
  'GraphQL request bodies',
  {
    'a body is read or refused, each item of an array by itself': fc.property(
      fc.oneof(requestBody.map(bytesOf), anyJsonBytes),
      (bytes) => {
        for (const item of readRequests(bytes) ?? []) {
          if (item instanceof BffError) expect(item.code).toBe('invalid_request');
        }
      },
    ),
    'a request is read as the upstream will read its bytes': fc.property(requestBody, (text) => {
      for (const item of readRequests(Buffer.from(text)) ?? []) {
        if (item instanceof BffError) continue;
        const sent = JSON.parse(item.bytes.toString('utf8'));
        const variables = JSON.parse(JSON.stringify(item.variables)); // numbers keep their digits until then
        expect([item.query ?? null, variables]).toEqual([sent.query ?? null, sent.variables ?? {}]);
      }
    }),
  },
  {
    growth: growsLinearly(JSON_PIECES, (text) =>
      readRequest(Buffer.from(`{"query":"{a}","variables":${text}}`)),
    ),
  },
);

test('no name read before makes a later one read as another (nodejs/node#63785)', () => {
  const misread = '{"query":"{version}","\\u0071uery":"{self}"}';
  readRequests(Buffer.from('{"query":"{version}","\\\\u007":"{self}"}'));
  expect(() => readRequest(Buffer.from(misread))).toThrow('invalid_request');
});
