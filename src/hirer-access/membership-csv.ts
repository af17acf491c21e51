import { isSubject } from '../auth/token-claims.js';
import { BffError, type FieldFault } from '../errors/bff-error.js';
import { isHirerId } from './hirer-id.js';
import { DEFAULT_ROLES, ROLES_MAX, isRole } from './read-membership.js';

/** A row of an import. */
export interface ImportedMembership {
  /** `sub` of the user's token. */
  readonly user: string;
  readonly hirerId: string;
  readonly roles: readonly string[];
}

const HEADER = ['user', 'hirerId', 'roles'];
const FAULTS_MAX = 100;

/**
 * Reads memberships from CSV (RFC 4180): the header `user,hirerId,roles`, then a row each; `roles` are words separated
 * by spaces, `member` when empty.
 * @throws BffError `invalid_request` with every bad row, by line
 */
export function readMembershipCsv(text: string): ImportedMembership[] {
  const [header, ...rows] = readRows(text.replace(/^\uFEFF/, ''));
  if (header?.cells.join() !== HEADER.join())
    throw bad([{ field: 'line 1', message: `must be ${HEADER.join()}` }]);
  const faults: FieldFault[] = [];
  const lineOf = new Map<string, number>();
  const memberships = rows.map(({ cells, line }) => {
    const fault = (message: string): void => void faults.push({ field: `line ${line}`, message });
    const [user = '', hirerId = '', roles = ''] = cells;
    const names = roles.trim() === '' ? DEFAULT_ROLES : [...new Set(roles.trim().split(/\s+/))];
    if (cells.length > HEADER.length) fault('has more than three cells; quote a cell that holds a comma');
    if (!isSubject(user)) fault('user must be the sub of a user: text of 1 to 255 bytes');
    if (!isHirerId(hirerId)) fault('hirerId must be a hirer object identifier of 1 to 255 bytes');
    if (names.length > ROLES_MAX || !names.every(isRole)) {
      fault(`roles must be at most ${ROLES_MAX} words of letters, digits or . : _ -`);
    }
    const key = JSON.stringify([user, hirerId]);
    if (lineOf.has(key)) fault(`repeats line ${lineOf.get(key)}`);
    else lineOf.set(key, line);
    return { user, hirerId, roles: names };
  });
  if (faults.length > 0) throw bad(faults);
  return memberships;
}

function bad(faults: FieldFault[]): BffError {
  const shown = faults.slice(0, FAULTS_MAX);
  if (faults.length > shown.length) {
    shown.push({ field: '', message: `and ${faults.length - shown.length} more faults` });
  }
  return new BffError('invalid_request', {
    detail: 'Nothing was imported. Correct the listed lines and send the whole file again.',
    errors: shown,
  });
}

interface Row {
  readonly cells: string[];
  /** Of the file, from 1; a quoted cell may span several. */
  readonly line: number;
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/** Rows that are not empty. */
function readRows(text: string): Row[] {
  const rows: Row[] = [];
  let [cells, start, line]: [string[], number, number] = [[], 1, 1];
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length) {
    const match = CELL.exec(text);
    if (!match) throw bad([{ field: `line ${line}`, message: 'has a quote out of place' }]);
    const [whole, quoted, plain = '', end] = match;
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    line += whole.split('\n').length - 1;
    if (end === ',' && CELL.lastIndex < text.length) continue;
    if (end === ',') cells.push('');
    if (cells.join('') !== '') rows.push({ cells, line: start });
    [cells, start] = [[], line];
  }
  return rows;
}
