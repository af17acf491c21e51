import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, ValidateIf } from 'class-validator';
import { isSubject } from '../auth/token-claims.js';
import { BffError } from '../errors/bff-error.js';
import { Is } from '../errors/is.js';
import { parseOptionalJsonObject } from '../json/parse-json-object.js';
import { validate } from '../errors/validate.js';
import { readCursor, type ImportMode, type MembershipFilter } from './sources/issuer-memberships.js';
import { isHirerId } from './hirer-id.js';
import { DEFAULT_ROLES, ROLES_MAX, isGrantableRole } from './sources/read-membership.js';

/** A member that may be left out; null does not count as that. */
const MayBeAbsent = (name: string) =>
  ValidateIf((input: Record<string, unknown>) => input[name] !== undefined);

const SUBJECT = 'must be the sub of a user: text of 1 to 255 bytes';
const ROLE =
  'each must be a word of 1 to 64 letters, digits or . : _ -, and not machine, which is reserved for MACHINE_SUBJECTS';
const HIRER_ID = 'must be a hirer object identifier of 1 to 255 bytes';

class MembershipPath {
  @Is(isSubject, SUBJECT)
  user!: string;

  @Is(isHirerId, HIRER_ID)
  hirerId!: string;
}

class IssuerQuery {
  @MayBeAbsent('issuer')
  @Is((value) => typeof value === 'string', 'must be given once')
  issuer?: string;
}

class MembershipQuery extends IssuerQuery {
  @MayBeAbsent('user')
  @Is(isSubject, SUBJECT)
  user?: string;

  @MayBeAbsent('hirer')
  @Is(isHirerId, HIRER_ID)
  hirer?: string;

  @MayBeAbsent('after')
  @Is((value) => typeof value === 'string' && readCursor(value) !== undefined, 'must be the next of a page')
  after?: string;
}

class ImportQuery extends IssuerQuery {
  @MayBeAbsent('dryRun')
  @Is((value) => value === 'true' || value === 'false', 'must be true or false')
  dryRun?: string;

  @MayBeAbsent('replace')
  @Is((value) => value === 'true' || value === 'false', 'must be true or false')
  replace?: string;
}

class MembershipBody {
  @MayBeAbsent('roles')
  @IsArray({ message: 'must be a list' })
  @ArrayMinSize(1, { message: 'must name a role' })
  @ArrayMaxSize(ROLES_MAX, { message: `must name at most ${ROLES_MAX} roles` })
  @ArrayUnique({ message: 'must name each role once' })
  @Is(isGrantableRole, ROLE, true)
  roles?: string[];
}

/** The `{user}/{hirerId}` of a route. @throws BffError `invalid_request` */
export function readMembershipPath(path: Record<string, unknown>): { user: string; hirerId: string } {
  return validate(MembershipPath, path);
}

/** The issuer that the query names, if it names one, and nothing else. @throws BffError `invalid_request` */
export function readIssuer(query: Record<string, unknown>): string | undefined {
  return validate(IssuerQuery, query).issuer;
}

/** The filter of a list, and the issuer that the query names. @throws BffError `invalid_request` */
export function readMembershipFilter(query: Record<string, unknown>): [MembershipFilter, string | undefined] {
  const { user, hirer, after, issuer } = validate(MembershipQuery, query);
  return [{ user, hirer, after: after === undefined ? undefined : readCursor(after) }, issuer];
}

/** The roles of the body `{"roles": […]}`; the whole body is optional. @throws BffError `invalid_request` */
export function readMembershipRoles(body: unknown): readonly string[] {
  return validate(MembershipBody, parseOptionalJsonObject(body) ?? {}).roles ?? DEFAULT_ROLES;
}

/** The text of a CSV body. @throws BffError `unsupported_media_type`, `invalid_request` */
export function readCsvBody(body: unknown): string {
  if (typeof body !== 'string') {
    throw new BffError('unsupported_media_type', {
      detail: 'Send the file as "Content-Type: text/csv", in UTF-8.',
    });
  }
  return body;
}

/** How a file is imported. @throws BffError `invalid_request` */
export function readImportQuery(query: Record<string, unknown>): {
  mode: ImportMode;
  issuer: string | undefined;
} {
  const { dryRun, replace, issuer } = validate(ImportQuery, query);
  return { mode: { dryRun: dryRun === 'true', replace: replace === 'true' }, issuer };
}
