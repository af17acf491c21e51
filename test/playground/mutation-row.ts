import { UNRELATED } from './client.js';

/** Where the examples have events sent to. */
export const RECEIVER = 'https://partner.example/webhooks';
/** The code of an input that is not valid. */
export const BAD = 'BAD_USER_INPUT';

/** One member of the example's input, changed to something invalid, and the code of the error. */
type Refusal = readonly [path: string, value: unknown, code: string];

/** How one mutation shows its effect, and what it refuses. */
export interface MutationRow {
  /** Reads an object through the schema after the mutation. */
  readonly query: string;
  /** Where the id of that object stands. */
  readonly id: `payload.${string}` | `input.${string}`;
  /** What is read then, by its place. */
  readonly now: Readonly<Record<string, unknown>>;
  readonly refused: Refusal;
}

const AD = {
  query: 'query($id: String!) { positionProfile(id: $id) { positionTitle postingInstructions { end } } }',
  id: 'payload.positionProfile.profileId.value',
} as const;
const OPENING = {
  query:
    'query($id: String!) { positionOpening(id: $id) { statusCode postingRequester { personContacts { name { formattedName } } } } }',
  id: 'input.positionOpening.documentId',
} as const;

const COMPONENTS = ['Question', 'Question', 'PrivacyConsent'].map((componentTypeCode) => ({
  componentTypeCode,
}));
const CONTACTS = {
  'positionOpening.postingRequester.personContacts': [{ name: { formattedName: 'Sam Example' } }],
};

/** Mutations of openings, ads, unposted profiles and questionnaires. */
export const POSITION_MUTATIONS: Record<string, MutationRow> = {
  createApplicationQuestionnaire: {
    query: 'query($id: String!) { applicationQuestionnaire(id: $id) { components { componentTypeCode } } }',
    id: 'payload.applicationQuestionnaire.id.value',
    now: { 'applicationQuestionnaire.components': COMPONENTS },
    refused: ['applicationQuestionnaire.components.0.question.responseTypeCode', 'Essay', BAD],
  },
  createPositionOpening: {
    ...OPENING,
    id: 'payload.positionOpening.documentId.value',
    now: { 'positionOpening.statusCode': 'Active', ...CONTACTS },
    refused: ['positionOpening.postingRequester.id', UNRELATED, 'FORBIDDEN'],
  },
  updatePositionOpeningStatus: {
    ...OPENING,
    now: { 'positionOpening.statusCode': 'Closed' },
    refused: ['positionOpening.statusCode', 'Paused', BAD],
  },
  updatePositionOpeningPersonContacts: {
    ...OPENING,
    now: CONTACTS,
    refused: ['positionOpening.personContacts.0.roleCode', 'Owner', BAD],
  },
  deletePositionOpening: {
    ...OPENING,
    now: { positionOpening: null },
    refused: ['positionOpening.documentId', 'seekAnzPublicTest:positionOpening:seek:none', BAD],
  },
  postPosition: {
    ...AD,
    now: { 'positionProfile.positionTitle': 'Registered Nurse' },
    refused: ['positionProfile.jobCategories.0', 'seekAnzPublicTest:jobCategory:seek:2BGarNJkf', BAD],
  },
  postPositionProfileForOpening: {
    ...AD,
    now: { 'positionProfile.positionTitle': 'Registered Nurse' },
    refused: ['positionProfile.offeredRemunerationPackage.ranges.0.maximumAmount.value', 84_999, BAD],
  },
  updatePostedPositionProfile: {
    ...AD,
    now: { 'positionProfile.positionTitle': 'Senior Nurse' },
    refused: ['positionProfile.seekAnzWorkTypeCode', 'Weekend', BAD],
  },
  closePostedPositionProfile: {
    ...AD,
    now: { 'positionProfile.postingInstructions': [{ end: expect.stringMatching(/^2030-01-01T00:0/) }] },
    refused: ['positionProfile.profileId', 'seekAnzPublicTest:positionProfile:jobAd:none', BAD],
  },
  createUnpostedPositionProfileForOpening: {
    ...AD,
    now: { 'positionProfile.positionTitle': 'Registered Nurse', 'positionProfile.postingInstructions': [] },
    refused: ['positionProfile.positionScheduleTypeCodes.0', 'Casual', BAD],
  },
  updateUnpostedPositionProfile: {
    ...AD,
    now: { 'positionProfile.positionTitle': 'Registered Nurse' },
    refused: ['positionProfile.seekHirerJobReference', 'x'.repeat(41), BAD],
  },
  deleteUnpostedPositionProfile: {
    ...AD,
    id: 'input.positionProfile.profileId',
    now: { positionProfile: null },
    refused: ['positionProfile.profileId', 'seekAnzPublicTest:positionProfile:jobAd:2782PZfXV', BAD],
  },
};

const CANDIDATE = {
  query:
    'query($id: String!) { candidate(id: $id) { person { name { formattedName given } communication { email { address } } } seekPrimaryEmailAddress profiles { profileId { value } } } }',
  id: 'payload.candidate.documentId.value',
} as const;
const PROFILE = {
  query:
    'query($id: String!) { candidateProfile(id: $id) { createDateTime seekActions { code seekUrl { url } } positionPreferences { locations { referenceLocation { city } } } seekProcessHistory { edges { node { status { code } } } } } }',
  id: 'payload.candidateProfile.profileId.value',
} as const;
const STEP = {
  query: 'query($id: String!) { candidateProcessHistoryItem(id: $id) { action { name } status { code } } }',
  id: 'input.candidateProcessHistoryItem.id',
} as const;

/** Mutations of uploaded candidates and of their steps in a hiring process. */
export const CANDIDATE_MUTATIONS: Record<string, MutationRow> = {
  uploadCandidate: {
    ...CANDIDATE,
    now: {
      'candidate.seekPrimaryEmailAddress': 'kim@people.example',
      'candidate.profiles': [expect.anything()],
    },
    refused: ['candidate.seekPrimaryEmailAddress', 'other@people.example', BAD],
  },
  updateUploadedCandidatePerson: {
    ...CANDIDATE,
    now: {
      'candidate.person.name': { formattedName: 'Robin Example', given: 'Robin' },
      'candidate.seekPrimaryEmailAddress': 'robin@people.example',
    },
    refused: ['candidate.person.name.formattedName', ' ', BAD],
  },
  updateUploadedCandidateProfileActions: {
    ...PROFILE,
    now: {
      'candidateProfile.seekActions': [
        { code: 'ViewProfile', seekUrl: { url: 'https://partner.example/candidates/2041' } },
      ],
    },
    refused: ['candidateProfile.seekActions.0.code', 'Hire', BAD],
  },
  updateUploadedCandidateProfileDates: {
    ...PROFILE,
    now: { 'candidateProfile.createDateTime': '2026-05-01T00:00:00.000Z' },
    refused: ['candidateProfile.updateDateTime', '2026-04-30T00:00:00Z', BAD],
  },
  updateUploadedCandidateProfilePositionPreferences: {
    ...PROFILE,
    now: {
      'candidateProfile.positionPreferences': [{ locations: [{ referenceLocation: { city: 'Melbourne' } }] }],
    },
    refused: [
      'candidateProfile.positionPreferences.0.locations.0.referenceLocation.countryCode',
      'Australia',
      BAD,
    ],
  },
  deleteUploadedCandidate: {
    ...CANDIDATE,
    now: {
      'candidate.person': {
        name: { formattedName: 'redacted', given: 'redacted' },
        communication: { email: [] },
      },
      'candidate.seekPrimaryEmailAddress': null,
      'candidate.profiles': [],
    },
    refused: ['candidate.documentId', 'seekAnzPublicTest:candidate:feed:5PGXAHysjZdkQYwZghfL4bRCqvZ7ZM', BAD],
  },
  createCandidateProcessHistoryItem: {
    ...PROFILE,
    now: {
      'candidateProfile.seekProcessHistory.edges': Array(2).fill({ node: { status: { code: 'Interview' } } }),
    },
    refused: ['candidateProcessHistoryItem.action.code', 'Dance', BAD],
  },
  updateCandidateProcessHistoryItem: {
    ...STEP,
    now: { 'candidateProcessHistoryItem.status.code': 'Offer' },
    refused: ['candidateProcessHistoryItem.status.code', 'Maybe', BAD],
  },
  deleteCandidateProcessHistoryItem: {
    ...STEP,
    now: { candidateProcessHistoryItem: null },
    refused: [
      'candidateProcessHistoryItem.id',
      'globalPublicTest:candidateProcessHistoryItem:seek:none',
      BAD,
    ],
  },
};

const SUBSCRIPTION = {
  query:
    'query($id: String!) { webhookSubscription(id: $id) { url signingAlgorithmCode webhookSubscriptionReplays { edges { node { request { typeCode } } } } } }',
  id: 'payload.webhookSubscription.id.value',
} as const;

/** Mutations of webhook subscriptions. */
export const WEBHOOK_MUTATIONS: Record<string, MutationRow> = {
  createWebhookSubscription: {
    ...SUBSCRIPTION,
    now: { 'webhookSubscription.url': RECEIVER },
    refused: ['webhookSubscription.secret', 'fifteen letters', BAD],
  },
  updateWebhookSubscriptionDeliveryConfiguration: {
    ...SUBSCRIPTION,
    now: { 'webhookSubscription.url': 'https://partner.example/new' },
    refused: ['webhookSubscription.maxEventsPerAttempt', 11, BAD],
  },
  updateWebhookSubscriptionSigningConfiguration: {
    ...SUBSCRIPTION,
    now: { 'webhookSubscription.signingAlgorithmCode': 'SeekHmacSha512' },
    refused: ['webhookSubscription.signingAlgorithmCode', 'Md5', BAD],
  },
  replayWebhookSubscription: {
    ...SUBSCRIPTION,
    now: {
      'webhookSubscription.webhookSubscriptionReplays.edges': [
        { node: { request: { typeCode: 'IdReplayRequest' } } },
      ],
    },
    refused: ['eventIds.0', 'seekAnzPublicTest:event:events:none', BAD],
  },
  deleteWebhookSubscription: {
    ...SUBSCRIPTION,
    now: { webhookSubscription: null },
    refused: ['webhookSubscription.id', 'seekAnzPublicTest:webhookSubscription:events:none', BAD],
  },
};
