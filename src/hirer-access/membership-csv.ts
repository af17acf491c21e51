import { CsvError, parse } from 'csv-parse/sync';
import { isSubject } from '../auth/token-claims.js';
import { BffError, type FieldFault } from '../errors/bff-error.js';
import { isWrittenHirerId } from './hirer-id.js';
import { DEFAULT_ROLES, ROLES_MAX, isGrantableRole } from './sources/read-membership.js';

/** A row of an import. */
export interface ImportedMembership {
  /** `sub` of the user's token. */
  readonly user: string;
  readonly hirerId: string;
  readonly roles: readonly string[];
}

const HEADER = ['user', 'hirerId', 'roles'];
const FAULTS_MAX = 100;
const WRITTEN_HIRER_ID = 'a whole object identifier, such as scheme:organization:part:id, of 1 to 255 bytes';

/**
 * Reads memberships from CSV (RFC 4180): the header `user,hirerId,roles`, then one row for each; `roles` are words
 * separated by spaces, `member` when empty. Spaces around a cell that is not quoted are ignored, and so are empty rows.
 * @throws BffError `invalid_request` with every bad row, by the line it starts on
 */
export function readMembershipCsv(text: string): ImportedMembership[] {
  const file = new MembershipFile();
  let linesRead = 0;
  let returnsInCells = 0; // csv-parse counts CR LF inside a cell as two lines
  const refuse = (message: string): never => {
    throw bad([{ field: `line ${linesRead + 1}`, message }]);
  };
  try {
    parse(text, {
      bom: true,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      cast: (cell, { quoting }) => {
        if (quoting) return cell;
        return cell.includes('\r') ? refuse('has a carriage return out of place') : cell.trim();
      },
      on_record: (cells: string[], { lines }) => {
        const whole = cells.join('');
        if (whole !== '') file.add(cells, linesRead + 1);
        returnsInCells += whole.split('\r').length - 1;
        linesRead = lines - returnsInCells;
      },
    });
  } catch (error) {
    throw error instanceof CsvError ? refuse('has a quote out of place') : error;
  }
  return file.memberships();
}

/** The rows read so far; nothing but valid memberships is kept of them. */
class MembershipFile {
  private hasHeader = false;
  private readonly read: ImportedMembership[] = [];
  private readonly lineOf = new Map<string, number>();
  private readonly faults: FieldFault[] = [];
  private faultCount = 0;

  add(cells: readonly string[], line: number): void {
    if (this.hasHeader) {
      this.addRow(cells, line);
      return;
    }
    if (cells.join() !== HEADER.join()) throw badHeader();
    this.hasHeader = true;
  }

  /** @throws BffError listing the faults */
  memberships(): ImportedMembership[] {
    if (!this.hasHeader) throw badHeader();
    const more = this.faultCount - this.faults.length;
    if (more > 0) this.faults.push({ field: '', message: `and ${more} more faults` });
    if (this.faultCount > 0) throw bad(this.faults);
    return this.read;
  }

  private addRow([user = '', hirerId = '', list = '', ...others]: readonly string[], line: number): void {
    const roles = list.trim() === '' ? DEFAULT_ROLES : [...new Set(list.trim().split(/\s+/))];
    const fault = (message: string): void => {
      this.faultCount += 1;
      if (this.faultCount <= FAULTS_MAX) this.faults.push({ field: `line ${line}`, message });
    };
    if (others.length > 0) fault('has more than three cells; quote a cell that holds a comma');
    if (!isSubject(user)) fault('user must be the sub of a user: text of 1 to 255 bytes');
    if (!isWrittenHirerId(hirerId)) fault(`hirerId must be ${WRITTEN_HIRER_ID}`);
    if (roles.length > ROLES_MAX || !roles.every(isGrantableRole)) {
      fault(`roles must be at most ${ROLES_MAX} words of letters, digits or . : _ -; machine is reserved`);
    }
    const key = JSON.stringify([user, hirerId]);
    if (this.lineOf.has(key)) fault(`repeats line ${this.lineOf.get(key)}`);
    else this.lineOf.set(key, line);
    this.read.push({ user, hirerId, roles });
  }
}

function badHeader(): BffError {
  return bad([{ field: 'line 1', message: `must be ${HEADER.join()}` }]);
}

function bad(errors: FieldFault[]): BffError {
  return new BffError('invalid_request', {
    detail: 'Nothing was imported. Correct the listed lines and send the whole file again.',
    errors,
  });
}
