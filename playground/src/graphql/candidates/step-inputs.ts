import type { ProcessAction, ProcessParty, StepContent } from '../../data/candidates/candidate-records.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { assertCount, assertLength, assertOneOf, assertText } from '../input-checks.js';
import { readContact } from '../people/person-inputs.js';
import { assertUrl } from '../web-url.js';

/** CandidateProcessHistoryItemInput of the schema. */
export interface StepInput {
  readonly action: ProcessAction;
  readonly actionDate: Date;
  readonly positionProfile?: { readonly profileId: string } | null;
  readonly primaryParties: readonly ProcessParty[];
  readonly seekSource?: StepContent['seekSource'];
  readonly status?: StepContent['status'];
}

const STEP_ACTIONS = [
  'AgencySubmission',
  'CandidateWorkflowTransition',
  'Document',
  'Email',
  'Note',
  'Other',
  'PhoneCall',
  'PostPlacementActivity',
  'Screening',
  'StatusChange',
  'VerificationActivity',
];
const STATUSES = [
  'AgencyShortlist',
  'AgencySubmission',
  'Application',
  'HirerShortlist',
  'Interview',
  'Offer',
  'ReferenceCheck',
  'Successful',
  'TestingOrQualificationsCheck',
  'Unsuccessful',
];
const DESCRIPTION_CHARACTERS_MAX = 1_000;
const NAME_CHARACTERS_MAX = 255;
const PARTIES_MAX = 10;

/** The step that an input describes, for a candidate of the hirer. */
export function readStep(input: StepInput, hirerId: string, field: string, context: Context): StepContent {
  const { action, actionDate, primaryParties, seekSource, status } = input;
  assertOneOf(action.code, STEP_ACTIONS, `${field}.action.code`);
  assertText(action.name ?? '', NAME_CHARACTERS_MAX, `${field}.action.name`);
  assertText(action.description ?? '', DESCRIPTION_CHARACTERS_MAX, `${field}.action.description`);
  assertCount(primaryParties, 1, PARTIES_MAX, `${field}.primaryParties`);
  if (status != null) assertOneOf(status.code, STATUSES, `${field}.status.code`);
  return {
    action: readAction(action, `${field}.action`),
    actionDateMs: actionDate.getTime(),
    positionProfileId: readPosition(input, hirerId, field, context),
    primaryParties: primaryParties.map((party, index) =>
      readParty(party, `${field}.primaryParties[${String(index)}]`),
    ),
    seekSource: seekSource ?? null,
    status: status ?? null,
  };
}

/** A position of the candidate's own hirer, with the source that it then needs. An unknown one counts as none. */
function readPosition(
  { positionProfile, seekSource }: StepInput,
  hirerId: string,
  field: string,
  { world }: Context,
): string | null {
  if (positionProfile == null) return null;
  if (seekSource == null) throw invalid(`${field}.seekSource`, 'is required with positionProfile');
  const position = world.positionProfiles.get(positionProfile.profileId);
  return position?.hirerId === hirerId ? position.id : null;
}

function readParty({ person, organization }: ProcessParty, field: string): ProcessParty {
  if (person == null && organization == null) throw invalid(field, 'must have a person or an organization');
  return {
    ...(person != null && { person: readContact(person, `${field}.person`) }),
    organization: organization ?? null,
  };
}

function readAction(action: ProcessAction, field: string): ProcessAction {
  assertLength(action.description, DESCRIPTION_CHARACTERS_MAX, `${field}.description`);
  if (action.seekUrl != null) assertUrl(action.seekUrl.url, `${field}.seekUrl.url`);
  return action;
}

/** The actions of a profile: `ViewProfile` once at most, with its address. */
export function readProfileActions(actions: readonly ProcessAction[], field: string): ProcessAction[] {
  assertCount(actions, 0, 1, field);
  return actions.map((action, index) => {
    const path = `${field}[${String(index)}]`;
    assertOneOf(action.code, ['ViewProfile'], `${path}.code`);
    if (action.seekUrl == null) throw invalid(`${path}.seekUrl`, 'is required');
    return readAction(action, path);
  });
}
