import type { Contact, PositionOpening } from '../../data/positions/position-records.js';
import { assertHirer } from '../access.js';
import { assertStateful, type Context, type RootFields } from '../context.js';
import { invalid } from '../errors.js';
import { assertOneOf } from '../input-checks.js';
import { readContacts } from '../people/person-inputs.js';
import { requireOpening } from './position-lookups.js';
import { OPENING_STATUSES } from './position-queries.js';
import { openingView } from './position-views.js';
import { checkMetadata } from './profile-input.js';

/** CreatePositionOpening_PositionOpeningInput of the schema. */
export interface OpeningInput {
  readonly postingRequester: {
    readonly id: string;
    readonly roleCode: string;
    readonly personContacts: readonly Contact[];
  };
  readonly seekPartnerMetadata?: string | null;
  readonly statusCode?: string | null;
}

/** The opening that an input describes, without keeping it. */
export function readOpening(input: OpeningInput, field: string, context: Context): PositionOpening {
  const { postingRequester, seekPartnerMetadata, statusCode } = input;
  assertHirer(postingRequester.id, context, 'JobPosting', 'ProactiveSourcing');
  assertOneOf(postingRequester.roleCode, ['Company'], `${field}.postingRequester.roleCode`);
  if (statusCode != null) assertOneOf(statusCode, OPENING_STATUSES, `${field}.statusCode`);
  checkMetadata(seekPartnerMetadata, field);
  return {
    id: context.world.newId('seekAnzPublicTest:positionOpening:seek'),
    hirerId: postingRequester.id,
    statusCode: statusCode ?? 'Active',
    contacts: readContacts(postingRequester.personContacts, `${field}.postingRequester.personContacts`),
    partnerMetadata: seekPartnerMetadata ?? null,
    profileIds: [],
  };
}

function createOpening({ input }: { input: { positionOpening: OpeningInput } }, context: Context): object {
  const opening = readOpening(input.positionOpening, 'input.positionOpening', context);
  assertStateful(context);
  context.world.openings.set(opening.id, opening);
  return { positionOpening: openingView(opening) };
}

const FIELD = 'input.positionOpening';

interface StatusInput {
  readonly positionOpening: { readonly documentId: string; readonly statusCode: string };
}

function updateStatus({ input }: { input: StatusInput }, context: Context): object {
  const { documentId, statusCode } = input.positionOpening;
  const opening = requireOpening(documentId, `${FIELD}.documentId`, context);
  assertOneOf(statusCode, OPENING_STATUSES, `${FIELD}.statusCode`);
  assertStateful(context);
  opening.statusCode = statusCode;
  return { positionOpening: openingView(opening) };
}

interface ContactsInput {
  readonly positionOpening: { readonly documentId: string; readonly personContacts: readonly Contact[] };
}

function updateContacts({ input }: { input: ContactsInput }, context: Context): object {
  const { documentId, personContacts } = input.positionOpening;
  const opening = requireOpening(documentId, `${FIELD}.documentId`, context);
  const contacts = readContacts(personContacts, `${FIELD}.personContacts`);
  assertStateful(context);
  opening.contacts = contacts;
  return { positionOpening: openingView(opening) };
}

interface DeleteInput {
  readonly positionOpening: { readonly documentId: string };
}

function deleteOpening({ input }: { input: DeleteInput }, context: Context): object {
  const field = `${FIELD}.documentId`;
  const opening = requireOpening(input.positionOpening.documentId, field, context);
  if (opening.profileIds.length > 0) throw invalid(field, 'must identify an opening without profiles');
  assertStateful(context);
  context.world.openings.delete(opening.id);
  return { positionOpening: openingView(opening) };
}

/** Mutations of position openings. */
export const openingMutations: RootFields = {
  createPositionOpening: createOpening,
  updatePositionOpeningStatus: updateStatus,
  updatePositionOpeningPersonContacts: updateContacts,
  deletePositionOpening: deleteOpening,
};
