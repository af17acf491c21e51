import { RoleScopes } from '../../src/hirer-access/role-scopes.js';

/** One scope, which every role opens. */
export const allScopes = new RoleScopes({ ALLOWED_SCOPES: ['query:a'], ROLE_SCOPES: undefined });
