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
  if (header?.cells.join() !== HEADER.join()) {
    throw bad([{ field: 'line 1', message: `must be ${HEADER.join()}` }]);
  }
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

const PLAIN = /[^",\r\n]*/y;
const END = /,|\r?\n|$/y;

/** Rows that are not empty. */
function readRows(text: string): Row[] {
  const rows: Row[] = [];
  let [cells, start, line, at]: [string[], number, number, number] = [[], 1, 1, 0];
  while (at < text.length) {
    const cell = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at);
    const end = cell && matchAt(END, text, cell.end);
    if (!cell || end === undefined) {
      throw bad([{ field: `line ${line}`, message: 'has a quote out of place' }]);
    }
    cells.push(cell.value);
    line += text.slice(at, cell.end).split('\n').length - 1 + (end.endsWith('\n') ? 1 : 0);
    at = cell.end + end.length;
    if (end === ',' && at < text.length) continue;
    if (end === ',') cells.push('');
    if (cells.join('') !== '') rows.push({ cells, line: start });
    [cells, start] = [[], line];
  }
  return rows;
}

interface Cell {
  readonly value: string;
  /** Where it ends in the text. */
  readonly end: number;
}

function readPlain(text: string, at: number): Cell {
  const plain = matchAt(PLAIN, text, at)!;
  return { value: plain.trim(), end: at + plain.length };
}

/** Searched by hand: a quoted cell may be as long as the file, and an expression would run out of stack. */
function readQuoted(text: string, at: number): Cell | undefined {
  let close = text.indexOf('"', at + 1);
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  return close < 0 ? undefined : { value: text.slice(at + 1, close).replaceAll('""', '"'), end: close + 1 };
}

function matchAt(sticky: RegExp, text: string, at: number): string | undefined {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0];
}
