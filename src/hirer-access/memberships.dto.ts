import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsOptional, ValidateIf } from 'class-validator';
import { isIdentifier } from '../auth/token-claims.js';
import { Is } from '../errors/validate.js';
import { ROLES_MAX, isGrantableRole, isHirerId } from './membership.js';
import { readPair } from './sources/sql-memberships.js';

const IsUser = () => Is(isIdentifier, 'must be the sub of a user: text of 1 to 255 bytes');
const IsHirer = () => Is(isHirerId, 'must be a hirer object identifier of 1 to 255 bytes');

const ROLE =
  'each must be a word of 1 to 64 letters, digits or . : _ -, and not machine, which is reserved for MACHINE_SUBJECTS';

/** The `{user}/{hirerId}` of a route. */
export class MembershipPath {
  @IsUser()
  user!: string;

  @IsHirer()
  hirerId!: string;
}

/** The query of every route. */
export class IssuerQuery {
  @IsOptional()
  @Is((value) => typeof value === 'string', 'must be given once')
  issuer?: string;
}

/** The query of a list. */
export class MembershipQuery extends IssuerQuery {
  @IsOptional()
  @IsUser()
  user?: string;

  @IsOptional()
  @IsHirer()
  hirer?: string;

  @IsOptional()
  @Is((value) => typeof value === 'string' && readPair(value) !== undefined, 'must be the next of a page')
  after?: string;
}

/** `{"roles": […]}`. */
export class MembershipBody {
  @ValidateIf(({ roles }: MembershipBody) => roles !== undefined) // null is not a list
  @IsArray({ message: 'must be a list' })
  @ArrayMinSize(1, { message: 'must name a role' })
  @ArrayMaxSize(ROLES_MAX, { message: `must name at most ${ROLES_MAX} roles` })
  @ArrayUnique({ message: 'must name each role once' })
  @Is(isGrantableRole, ROLE, true)
  roles?: string[];
}
