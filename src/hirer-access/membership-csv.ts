import { CsvError, parse } from 'csv-parse/sync';
import { isSubject } from '../auth/token-claims.js';
import { DEFAULT_ROLES, ROLES_MAX, isGrantableRole, isWrittenHirerId } from './membership.js';
import type { UserMembership } from './sources/sql-memberships.js';

const HEADER = 'user,hirerId,roles';
const WRITTEN_HIRER_ID = 'a whole object identifier, such as scheme:organization:part:id, of 1 to 255 bytes';

interface Row {
  readonly record: readonly string[];
  /** `lines` is the line that the row ends on. */
  readonly info: { readonly lines: number };
}

/**
 * Reads memberships from CSV (RFC 4180): the header `user,hirerId,roles`, then one row for each; `roles` are words
 * separated by spaces, `member` when empty. Spaces around a cell that is not quoted are ignored, and so are empty rows.
 * @returns with every fault, by its line
 */
export function readMembershipCsv(text: string): { memberships: UserMembership[]; faults: string[] } {
  const rows = readRows(text);
  if (typeof rows === 'string') return { memberships: [], faults: [rows] };
  if (rows.shift()?.record.join() !== HEADER) {
    return { memberships: [], faults: [`line 1: must be ${HEADER}`] };
  }
  const faults: string[] = [];
  const seen = new Set<string>();
  const memberships = rows.map(
    ({ record: [user = '', hirerId = '', list = '', ...others], info: { lines } }) => {
      const roles = list === '' ? DEFAULT_ROLES : [...new Set(list.split(/\s+/))];
      const fault = (message: string): void => void faults.push(`line ${lines}: ${message}`);
      if (others.length > 0) fault('has more than three cells; quote a cell that holds a comma');
      if (!isSubject(user)) fault('user must be the sub of a user: text of 1 to 255 bytes');
      if (!isWrittenHirerId(hirerId)) fault(`hirerId must be ${WRITTEN_HIRER_ID}`);
      if (roles.length > ROLES_MAX || !roles.every(isGrantableRole)) {
        fault(`roles must be at most ${ROLES_MAX} words of letters, digits or . : _ -; machine is reserved`);
      }
      const key = JSON.stringify([user, hirerId]);
      if (seen.has(key)) fault('repeats the user and hirer of another line');
      seen.add(key);
      return { user, hirerId, roles };
    },
  );
  return { memberships, faults };
}

/** The rows that are not empty, or the fault of a quote. */
function readRows(text: string): Row[] | string {
  const options = { bom: true, trim: true, info: true, relax_column_count: true } as const;
  try {
    return parse(text, { ...options, skip_records_with_empty_values: true }) as unknown as Row[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return error.message;
  }
}
