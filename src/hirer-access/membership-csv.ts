import { CsvError, parse } from 'csv-parse/sync';
import { isIdentifier } from '../http/end-user.js';
import { DEFAULT_ROLES, ROLES_MAX, isGrantableRole, isWrittenHirerId } from './membership.js';
import type { UserMembership } from './sources/sql-memberships.js';

const HEADER = 'user,hirerId,roles';
const ROW =
  'must be the sub of a user, a whole object identifier, such as scheme:organization:part:id, and words for roles, none of them machine';

/** A row, and the line that it ends on. */
interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Reads memberships from CSV (RFC 4180): the header `user,hirerId,roles`, then one row for each; `roles` are words
 * separated by spaces, `member` when empty. Spaces around a cell that is not quoted are ignored, and so are empty rows.
 * @returns with every fault, by its line
 */
export function readMembershipCsv(text: string): { memberships: UserMembership[]; faults: string[] } {
  const faults: string[] = [];
  const options = { bom: true, trim: true, info: true, relax_column_count: true } as const;
  let rows: Row[] = [];
  try {
    rows = parse(text, { ...options, skip_records_with_empty_values: true }) as unknown as Row[];
    if (rows.shift()?.record.join() !== HEADER) faults.push(`line 1: must be ${HEADER}`);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    faults.push(error.message);
  }
  const memberships = rows.map(({ record: [user = '', hirerId = '', list = '', ...others], info }) => {
    const roles = list === '' ? DEFAULT_ROLES : [...new Set(list.split(/\s+/))];
    const areRoles = roles.length <= ROLES_MAX && roles.every(isGrantableRole);
    const isRow = isIdentifier(user) && isWrittenHirerId(hirerId) && areRoles && others.length === 0;
    if (!isRow) faults.push(`line ${info.lines}: ${ROW}`);
    return { user, hirerId, roles };
  });
  return { memberships, faults };
}
