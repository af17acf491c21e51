import {
  isPosted,
  type PositionOpening,
  type PositionProfile,
  type PostedProfile,
} from '../../data/positions/position-records.js';
import { assertHirer } from '../access.js';
import type { Context } from '../context.js';
import { graphqlError, invalid } from '../errors.js';
import { requireObject } from '../find-object.js';

/** An opening that exists and that the partner may change. */
export function requireOpening(id: string, field: string, context: Context): PositionOpening {
  const opening = requireObject(context.world.openings, id, field);
  assertHirer(opening.hirerId, context, 'JobPosting', 'ProactiveSourcing');
  return opening;
}

/** An ad that is live and that the partner may change; `FORBIDDEN` once it is closed. */
export function requireOpenAd(id: string, field: string, context: Context): PostedProfile {
  const profile = requireObject(context.world.positionProfiles, id, field);
  assertHirer(profile.hirerId, context, 'JobPosting');
  if (!isPosted(profile)) throw invalid(field, 'must identify a posted profile');
  if (profile.ad.endMs <= context.now()) {
    throw graphqlError('FORBIDDEN', 'The position profile is already closed.', field);
  }
  return profile;
}

/** A profile for internal use that the partner may change. */
export function requireUnposted(id: string, field: string, context: Context): PositionProfile {
  const profile = requireObject(context.world.positionProfiles, id, field);
  assertHirer(profile.hirerId, context, 'JobPosting', 'ProactiveSourcing');
  if (profile.ad !== null) throw invalid(field, 'must identify an unposted profile');
  return profile;
}

const PROFILES_PER_OPENING_MAX = 25;

/** Throws when the opening has as many profiles as it can hold. */
export function assertRoom({ profileIds }: PositionOpening, field: string): void {
  if (profileIds.length >= PROFILES_PER_OPENING_MAX) {
    throw invalid(
      field,
      `must identify an opening with fewer than ${String(PROFILES_PER_OPENING_MAX)} profiles`,
    );
  }
}

/** Throws unless `positionOrganizations` is the hirer of the opening alone. */
export function assertOrganization(organizations: readonly string[], hirerId: string, field: string): void {
  if (organizations.length !== 1 || organizations[0] !== hirerId) {
    throw invalid(`${field}.positionOrganizations`, 'must be the hirer of the opening and nobody else');
  }
}
