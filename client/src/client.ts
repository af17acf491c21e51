/**
 * The core: browser tokens limited to one hirer, GraphQL, batches and paging, one error. Nothing runs on import, and
 * bundlers leave out unused exports.
 * @packageDocumentation
 */
export { Bff } from './bff.js';
export type { HirerSession } from './bff.js';
export type { BffOptions, GetUserToken, TokenRequest } from './bff-options.js';
export { BffError } from './bff-error.js';
export type { BffErrorCode, BffErrorReason, GraphqlError } from './bff-error.js';
export type { Token } from './tokens.js';
export { listHirers } from './hirers.js';
export type { Hirer } from './hirers.js';
export { batch, execute, request } from './graphql.js';
export type { GraphqlResult, Operation, SendOptions } from './graphql.js';
export { cursorPages, pages } from './pages.js';
