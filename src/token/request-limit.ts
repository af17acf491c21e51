/** Injection token of the rate limit on the requests of one user, shared by every public route. */
export const REQUEST_LIMIT = Symbol('REQUEST_LIMIT');
