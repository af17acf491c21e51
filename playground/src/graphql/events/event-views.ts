import type { RelationshipType } from '../../data/hirers/hirers.js';
import { isPosted } from '../../data/positions/position-records.js';
import type { EventRecord } from '../../data/records.js';
import { assertHirer } from '../access.js';
import { candidateProfileView, candidateView } from '../candidates/candidate-views.js';
import type { Context } from '../context.js';
import { findHirer } from '../organizations/organization-views.js';
import { positionProfileView } from '../positions/position-views.js';
import { pageOfAttempts, type AttemptsArgs } from '../webhooks/webhook-views.js';

/** The schema type of an event. The objects it refers to are read when they are selected, under the relationships of that moment. */
export function eventView(event: EventRecord): object {
  return {
    __typename: `${event.type}Event`,
    id: { value: event.id },
    typeCode: event.type,
    schemeId: event.schemeId,
    createDateTime: new Date(event.createdMs).toISOString(),
    webhookAttempts: (args: AttemptsArgs, context: Context) => pageOfAttempts(event.id, args, context),
    ...typeMembers(event),
  };
}

/** The members of one type. Only a change of relationships names the hirer. */
function typeMembers(event: EventRecord): object {
  switch (event.type) {
    case 'CandidateApplicationCreated':
      return {
        ...ids(event, 'candidateId', 'candidateApplicationProfileId'),
        candidate: pointAt(event, ['ApplicationExport'], ({ world }) => {
          const candidate = world.candidates.get(event.members['candidateId'] ?? '');
          return candidate && candidateView(candidate);
        }),
        candidateApplicationProfile: profileOf(event, 'candidateApplicationProfileId', 'ApplicationExport'),
      };
    case 'CandidateProfilePurchased':
      return {
        ...ids(event, 'candidateProfileId'),
        candidateProfile: profileOf(event, 'candidateProfileId', 'ProactiveSourcing'),
      };
    case 'HirerRelationshipChanged':
      return {
        hirerId: event.hirerId,
        hirer: (_args: unknown, context: Context) => findHirer(event.hirerId, context),
      };
    case 'PositionProfilePosted':
    case 'PositionProfileUpdated':
    case 'PositionProfileClosed':
      return {
        ...ids(event, 'positionProfileId'),
        positionProfile: pointAt(event, ['ApplicationExport', 'JobPosting'], ({ world }) => {
          const profile = world.positionProfiles.get(event.members['positionProfileId'] ?? '');
          return isPosted(profile) ? positionProfileView(profile) : undefined;
        }),
      };
    case 'PositionNotPosted':
      return ids(event, 'reasonId', 'seekPartnerPositionId');
  }
}

/** The type-specific identifiers, which are plain texts; an identifier that the event was made without is empty. */
function ids({ members }: EventRecord, ...names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, members[name] ?? '']));
}

type Pointer = (args: unknown, context: Context) => object | null;

/** The object that an event is about, or null; throws `FORBIDDEN` without one of the relationships. */
function pointAt(
  { hirerId }: EventRecord,
  anyOf: readonly RelationshipType[],
  find: (context: Context) => object | undefined,
): Pointer {
  return (_args, context) => {
    assertHirer(hirerId, context, ...anyOf);
    return find(context) ?? null;
  };
}

function profileOf(event: EventRecord, member: string, relationship: RelationshipType): Pointer {
  return pointAt(event, [relationship], ({ world }) => {
    const profile = world.candidateProfiles.get(event.members[member] ?? '');
    return profile && candidateProfileView(profile);
  });
}
