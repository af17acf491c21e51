import { BffError } from '../errors/bff-error.js';
import type { MembershipGate } from '../hirer-access/membership-gate.js';
import type { RequestContext } from '../http/request-context.js';
import type { PreparedCall, RegisteredOperation } from './registered-operation.js';

/**
 * One item of the body of `POST /graphql`, from its parsing to its sending. A stage that refuses it puts the error in
 * its place. Its `bytes` are the caller's own until a registered operation is prepared.
 */
export interface Operation extends PreparedCall {
  readonly index: number;
  readonly type: 'query' | 'mutation';
  /** Response keys of the root fields, as far as the text itself shows them. */
  readonly rootKeys: readonly string[];
  /** How the audit trail names it: a registered operation by its name, a text by the fields that it asks for. */
  readonly label: string;
  /** Undefined for a text of the caller's own. */
  readonly registered?: RegisteredOperation | undefined;
  /** Of a call of a registered operation, as `parseExact` reads them. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** True if it asks for `version` alone, the one field that needs no token (interface 5.1). */
  readonly versionOnly: boolean;
  /** Rules of interface 4.3 that it breaks. */
  readonly warnings: readonly string[];
  /** Of a guard, the operation that it guards: the caller calls that one. */
  readonly guarded?: RegisteredOperation | undefined;
  /** The token that it is sent with, of the member or of the partner; none until a member's was chosen. */
  readonly token: 'none' | 'browser' | 'partner';
}

/** An item of a body: an operation, or why it is refused. */
export type Item = Operation | BffError;

const PLAIN: Operation = {
  index: 0,
  bytes: Buffer.alloc(0),
  type: 'query',
  rootKeys: [],
  label: '',
  variables: Object.freeze({}),
  versionOnly: false,
  warnings: [],
  guards: [],
  token: 'none',
};

export function operationOf(given: Partial<Operation>): Operation {
  return { ...PLAIN, ...given };
}

export function callOf(registered: RegisteredOperation, given: Partial<Operation>): Operation {
  const { name: label, type, rootKeys } = registered.compiled;
  return { ...PLAIN, label, type, rootKeys, registered, ...given };
}

/**
 * What stands against each operation by the membership as it is now, once the request has waited; nothing where all are
 * still the member's, and for work without a caller.
 * @throws BffError `hirer_forbidden` for one who is no member any more
 */
export async function refusalsNow(
  operations: readonly Operation[],
  context: RequestContext,
  gate: Pick<MembershipGate, 'enter'>,
): Promise<readonly (BffError | undefined)[]> {
  const { user, member } = context;
  if (!user || !member || !context.hasWaited) return [];
  const now = await gate.enter(user, member.hirerId, context);
  if (now.roles === member.roles && now.scopes === member.scopes) return []; // it is the one in memory
  const isNarrowed = !member.scopes.every((scope) => now.scopes.includes(scope));
  return operations.map(({ guarded, registered, token }) => {
    const narrowed = isNarrowed && token === 'browser' ? new BffError('scope_forbidden') : undefined;
    return (guarded ?? registered)?.refusalFor(now) ?? narrowed;
  });
}
