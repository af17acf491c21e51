import type { Store } from './store-error.js';

/**
 * The party that can end a failure whose outcome alone does not name it: the caller, the upstream or another dependency
 * by its name in `/readyz`, or the load on this service.
 */
export type Culprit =
  'caller' | 'upstream' | 'issuer' | 'membership-service' | 'end-user-keys' | 'load' | Store;
