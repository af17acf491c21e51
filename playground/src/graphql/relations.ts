import type { World } from '../data/world.js';
import type { Context, TypeFields } from './context.js';

type Records = {
  [Name in keyof World]: World[Name] extends { get(id: string): unknown } ? Name : never;
}[keyof World];
type Member = { readonly [member: string]: string | null };
type Members = { readonly [member: string]: readonly string[] };

/** Reads the record that a member identifies; null where there is none. */
function one(records: Records, member: string) {
  return (record: Member, _args: unknown, { world }: Context): unknown =>
    world[records].get(record[member] ?? '') ?? null;
}

/** Reads the records that a member identifies. */
function many(records: Records, member: string) {
  return (record: Members, _args: unknown, { world }: Context): unknown[] =>
    record[member]!.map((id) => world[records].get(id));
}

const PROFILE = {
  positionLocation: many('locations', 'positionLocation'),
  jobCategories: many('jobCategories', 'jobCategories'),
  positionOpening: one('openings', 'openingId'),
  seekApplicationQuestionnaire: ({ ad }: { ad: Member | null }, _args: unknown, { world }: Context) =>
    world.questionnaires.get(ad?.['questionnaireId'] ?? '') ?? null,
  positionOrganizations: (record: Member, _args: unknown, { world }: Context) => [
    world.hirers.get(record['hirerId']!),
  ],
};

/** The fields of the schema that lead from one record to another, by the member that holds its identifier. */
export const RELATIONS: TypeFields = {
  Location: { parent: one('locations', 'parentId') },
  JobCategory: { parent: one('jobCategories', 'parentId') },
  AdvertisementBranding: { hirer: one('hirers', 'hirerId') },
  ApplicationQuestionnaire: { hirer: one('hirers', 'hirerId') },
  PostedPositionProfile: PROFILE,
  UnpostedPositionProfile: PROFILE,
  CandidateProfile: {
    attachments: many('attachments', 'attachmentIds'),
    candidate: one('candidates', 'candidateId'),
    associatedPositionProfile: one('positionProfiles', 'positionProfileId'),
  },
  CandidateProcessHistoryItem: {
    candidateProfile: one('candidateProfiles', 'profileId'),
    positionProfile: one('positionProfiles', 'positionProfileId'),
  },
  WebhookAttempt: { event: one('events', 'eventId') },
};
