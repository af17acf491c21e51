import type { ERROR_CODES } from '../src/errors/error-codes.js';

/** An OpenAPI document, as far as tests read it. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

/** What a document says of a method of a path. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly parameters: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, object>> };
  readonly responses: Readonly<Record<string, object>>;
}

/** The OpenAPI documents of both listeners, made from the sources. */
export function openApiDocuments(codes: typeof ERROR_CODES): Record<'public' | 'ops', OpenApiDocument>;

/** The schemas of an OpenAPI document as declarations of TypeScript. */
export function declarationsOf(document: OpenApiDocument): string;
