import { CsvError, parse } from 'csv-parse/sync';
import { isSubject } from '../auth/token-claims.js';
import { BffError, type FieldFault } from '../errors/bff-error.js';
import { DEFAULT_ROLES, ROLES_MAX, isGrantableRole, isWrittenHirerId } from './membership.js';
import type { UserMembership } from './sources/sql-memberships.js';

const HEADER = 'user,hirerId,roles';
const FAULTS_MAX = 100;
const WRITTEN_HIRER_ID = 'a whole object identifier, such as scheme:organization:part:id, of 1 to 255 bytes';

/**
 * Reads memberships from CSV (RFC 4180): the header `user,hirerId,roles`, then one row for each; `roles` are words
 * separated by spaces, `member` when empty. Spaces around a cell that is not quoted are ignored, and so are empty rows.
 * @throws BffError `invalid_request` with every bad row, by the line it starts on
 */
export function readMembershipCsv(text: string): UserMembership[] {
  const [header, ...rows] = readRows(text);
  if (header?.cells.join() !== HEADER) throw bad([{ field: 'line 1', message: `must be ${HEADER}` }]);
  const faults: FieldFault[] = [];
  const lineOf = new Map<string, number>();
  const memberships = rows.map(({ cells, line }) => {
    const [user = '', hirerId = '', list = '', ...others] = cells;
    const roles = list.trim() === '' ? DEFAULT_ROLES : [...new Set(list.trim().split(/(?: |\r?\n)+/))];
    const fault = (message: string): void => void faults.push({ field: `line ${line}`, message });
    if (others.length > 0) fault('has more than three cells; quote a cell that holds a comma');
    if (!isSubject(user)) fault('user must be the sub of a user: text of 1 to 255 bytes');
    if (!isWrittenHirerId(hirerId)) fault(`hirerId must be ${WRITTEN_HIRER_ID}`);
    if (roles.length > ROLES_MAX || !roles.every(isGrantableRole)) {
      fault(`roles must be at most ${ROLES_MAX} words of letters, digits or . : _ -; machine is reserved`);
    }
    const key = JSON.stringify([user, hirerId]);
    if (lineOf.has(key)) fault(`repeats line ${lineOf.get(key)}`);
    else lineOf.set(key, line);
    return { user, hirerId, roles };
  });
  const more = { field: '', message: `and ${faults.length - FAULTS_MAX} more faults` };
  if (faults.length > FAULTS_MAX) faults.splice(FAULTS_MAX, Infinity, more);
  if (faults.length > 0) throw bad(faults);
  return memberships;
}

/** The rows that are not empty, with the line that each starts on. */
function readRows(text: string): { cells: readonly string[]; line: number }[] {
  const rows: { cells: readonly string[]; line: number }[] = [];
  let linesRead = 0;
  try {
    parse(text, {
      bom: true,
      trim: true,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      on_record: (cells: string[], { lines }) => {
        if (cells.join('') !== '') rows.push({ cells, line: linesRead + 1 });
        linesRead = lines;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw bad([{ field: `line ${linesRead + 1}`, message: 'has a quote out of place' }]);
  }
  return rows;
}

function bad(errors: FieldFault[]): BffError {
  return new BffError('invalid_request', {
    detail: 'Nothing was imported. Correct the listed lines and send the whole file again.',
    errors,
  });
}
