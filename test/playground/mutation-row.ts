/* eslint-disable max-lines -- a table: one row for each mutation of the schema */
import type { Json } from '../support/start-stack.js';
import { UNRELATED } from './client.js';

/** Where the examples have events sent to. */
export const RECEIVER = 'https://partner.example/webhooks';
/** The code of an input that is not valid. */
export const BAD = 'BAD_USER_INPUT';

/** The data that is read through the schema after a mutation. */
interface Effect {
  readonly query: string;
  /** Picks what to read out of the mutation's payload or its input. */
  readonly id: (payload: Json, input: Json) => string;
  readonly now: Json;
}

/** One member of the example's input, changed to something invalid, and the code of the error. */
type Refusal = readonly [path: string, value: unknown, code: string];

/** How one mutation shows its effect, and what it refuses. */
export interface MutationRow {
  readonly effect: Effect;
  readonly refused: Refusal;
}

const AD = 'query($id: String!) { positionProfile(id: $id) { positionTitle postingInstructions { end } } }';
const OPENING =
  'query($id: String!) { positionOpening(id: $id) { statusCode postingRequester { personContacts { name { formattedName } } } } }';

/** Mutations of openings, ads, unposted profiles and questionnaires. */
export const POSITION_MUTATIONS: Record<string, MutationRow> = {
  createApplicationQuestionnaire: {
    effect: {
      query: 'query($id: String!) { applicationQuestionnaire(id: $id) { components { componentTypeCode } } }',
      id: (payload) => payload.applicationQuestionnaire.id.value,
      now: {
        applicationQuestionnaire: {
          components: ['Question', 'Question', 'PrivacyConsent'].map((componentTypeCode) => ({
            componentTypeCode,
          })),
        },
      },
    },
    refused: ['applicationQuestionnaire.components.0.question.responseTypeCode', 'Essay', BAD],
  },
  createPositionOpening: {
    effect: {
      query: OPENING,
      id: (payload) => payload.positionOpening.documentId.value,
      now: {
        positionOpening: {
          statusCode: 'Active',
          postingRequester: { personContacts: [{ name: { formattedName: 'Sam Example' } }] },
        },
      },
    },
    refused: ['positionOpening.postingRequester.id', UNRELATED, 'FORBIDDEN'],
  },
  updatePositionOpeningStatus: {
    effect: {
      query: OPENING,
      id: (_payload, input) => input.positionOpening.documentId,
      now: { positionOpening: { statusCode: 'Closed' } },
    },
    refused: ['positionOpening.statusCode', 'Paused', BAD],
  },
  updatePositionOpeningPersonContacts: {
    effect: {
      query: OPENING,
      id: (_payload, input) => input.positionOpening.documentId,
      now: {
        positionOpening: {
          postingRequester: { personContacts: [{ name: { formattedName: 'Sam Example' } }] },
        },
      },
    },
    refused: ['positionOpening.personContacts.0.roleCode', 'Owner', BAD],
  },
  deletePositionOpening: {
    effect: {
      query: OPENING,
      id: (_payload, input) => input.positionOpening.documentId,
      now: { positionOpening: null },
    },
    refused: ['positionOpening.documentId', 'seekAnzPublicTest:positionOpening:seek:none', BAD],
  },
  postPosition: {
    effect: {
      query: AD,
      id: (payload) => payload.positionProfile.profileId.value,
      now: { positionProfile: { positionTitle: 'Registered Nurse' } },
    },
    refused: ['positionProfile.jobCategories.0', 'seekAnzPublicTest:jobCategory:seek:2BGarNJkf', BAD],
  },
  postPositionProfileForOpening: {
    effect: {
      query: AD,
      id: (payload) => payload.positionProfile.profileId.value,
      now: { positionProfile: { positionTitle: 'Registered Nurse' } },
    },
    refused: ['positionProfile.offeredRemunerationPackage.ranges.0.maximumAmount.value', 84_999, BAD],
  },
  updatePostedPositionProfile: {
    effect: {
      query: AD,
      id: (payload) => payload.positionProfile.profileId.value,
      now: { positionProfile: { positionTitle: 'Senior Nurse' } },
    },
    refused: ['positionProfile.seekAnzWorkTypeCode', 'Weekend', BAD],
  },
  closePostedPositionProfile: {
    effect: {
      query: AD,
      id: (payload) => payload.positionProfile.profileId.value,
      now: { positionProfile: { postingInstructions: [{ end: expect.stringMatching(/^2030-01-01T00:0/) }] } },
    },
    refused: ['positionProfile.profileId', 'seekAnzPublicTest:positionProfile:jobAd:none', BAD],
  },
  createUnpostedPositionProfileForOpening: {
    effect: {
      query: AD,
      id: (payload) => payload.positionProfile.profileId.value,
      now: { positionProfile: { positionTitle: 'Registered Nurse', postingInstructions: [] } },
    },
    refused: ['positionProfile.positionScheduleTypeCodes.0', 'Casual', BAD],
  },
  updateUnpostedPositionProfile: {
    effect: {
      query: AD,
      id: (payload) => payload.positionProfile.profileId.value,
      now: { positionProfile: { positionTitle: 'Registered Nurse' } },
    },
    refused: ['positionProfile.seekHirerJobReference', 'x'.repeat(41), BAD],
  },
  deleteUnpostedPositionProfile: {
    effect: {
      query: AD,
      id: (_payload, input) => input.positionProfile.profileId,
      now: { positionProfile: null },
    },
    refused: ['positionProfile.profileId', 'seekAnzPublicTest:positionProfile:jobAd:2782PZfXV', BAD],
  },
};

const CANDIDATE =
  'query($id: String!) { candidate(id: $id) { person { name { formattedName given } communication { email { address } } } seekPrimaryEmailAddress profiles { profileId { value } } } }';
const PROFILE =
  'query($id: String!) { candidateProfile(id: $id) { createDateTime seekActions { code seekUrl { url } } positionPreferences { locations { referenceLocation { city } } } seekProcessHistory { edges { node { status { code } } } } } }';
const STEP =
  'query($id: String!) { candidateProcessHistoryItem(id: $id) { action { name } status { code } } }';

/** Mutations of uploaded candidates and of their steps in a hiring process. */
export const CANDIDATE_MUTATIONS: Record<string, MutationRow> = {
  uploadCandidate: {
    effect: {
      query: CANDIDATE,
      id: (payload) => payload.candidate.documentId.value,
      now: { candidate: { seekPrimaryEmailAddress: 'kim@people.example', profiles: [expect.anything()] } },
    },
    refused: ['candidate.seekPrimaryEmailAddress', 'other@people.example', BAD],
  },
  updateUploadedCandidatePerson: {
    effect: {
      query: CANDIDATE,
      id: (payload) => payload.candidate.documentId.value,
      now: {
        candidate: {
          person: { name: { formattedName: 'Robin Example', given: 'Robin' } },
          seekPrimaryEmailAddress: 'robin@people.example',
        },
      },
    },
    refused: ['candidate.person.name.formattedName', ' ', BAD],
  },
  updateUploadedCandidateProfileActions: {
    effect: {
      query: PROFILE,
      id: (payload) => payload.candidateProfile.profileId.value,
      now: {
        candidateProfile: {
          seekActions: [{ code: 'ViewProfile', seekUrl: { url: 'https://partner.example/candidates/2041' } }],
        },
      },
    },
    refused: ['candidateProfile.seekActions.0.code', 'Hire', BAD],
  },
  updateUploadedCandidateProfileDates: {
    effect: {
      query: PROFILE,
      id: (payload) => payload.candidateProfile.profileId.value,
      now: { candidateProfile: { createDateTime: '2026-05-01T00:00:00.000Z' } },
    },
    refused: ['candidateProfile.updateDateTime', '2026-04-30T00:00:00Z', BAD],
  },
  updateUploadedCandidateProfilePositionPreferences: {
    effect: {
      query: PROFILE,
      id: (payload) => payload.candidateProfile.profileId.value,
      now: {
        candidateProfile: {
          positionPreferences: [{ locations: [{ referenceLocation: { city: 'Melbourne' } }] }],
        },
      },
    },
    refused: [
      'candidateProfile.positionPreferences.0.locations.0.referenceLocation.countryCode',
      'Australia',
      BAD,
    ],
  },
  deleteUploadedCandidate: {
    effect: {
      query: CANDIDATE,
      id: (payload) => payload.candidate.documentId.value,
      now: {
        candidate: {
          person: { name: { formattedName: 'redacted', given: 'redacted' }, communication: { email: [] } },
          seekPrimaryEmailAddress: null,
          profiles: [],
        },
      },
    },
    refused: ['candidate.documentId', 'seekAnzPublicTest:candidate:feed:5PGXAHysjZdkQYwZghfL4bRCqvZ7ZM', BAD],
  },
  createCandidateProcessHistoryItem: {
    effect: {
      query: PROFILE,
      id: (payload) => payload.candidateProfile.profileId.value,
      now: {
        candidateProfile: {
          seekProcessHistory: {
            edges: [{ node: { status: { code: 'Interview' } } }, { node: { status: { code: 'Interview' } } }],
          },
        },
      },
    },
    refused: ['candidateProcessHistoryItem.action.code', 'Dance', BAD],
  },
  updateCandidateProcessHistoryItem: {
    effect: {
      query: STEP,
      id: (_payload, input) => input.candidateProcessHistoryItem.id,
      now: { candidateProcessHistoryItem: { status: { code: 'Offer' } } },
    },
    refused: ['candidateProcessHistoryItem.status.code', 'Maybe', BAD],
  },
  deleteCandidateProcessHistoryItem: {
    effect: {
      query: STEP,
      id: (_payload, input) => input.candidateProcessHistoryItem.id,
      now: { candidateProcessHistoryItem: null },
    },
    refused: [
      'candidateProcessHistoryItem.id',
      'globalPublicTest:candidateProcessHistoryItem:seek:none',
      BAD,
    ],
  },
};

const SUBSCRIPTION =
  'query($id: String!) { webhookSubscription(id: $id) { url signingAlgorithmCode webhookSubscriptionReplays { edges { node { request { typeCode } } } } } }';

/** Mutations of webhook subscriptions. */
export const WEBHOOK_MUTATIONS: Record<string, MutationRow> = {
  createWebhookSubscription: {
    effect: {
      query: SUBSCRIPTION,
      id: (payload) => payload.webhookSubscription.id.value,
      now: { webhookSubscription: { url: RECEIVER } },
    },
    refused: ['webhookSubscription.secret', 'fifteen letters', BAD],
  },
  updateWebhookSubscriptionDeliveryConfiguration: {
    effect: {
      query: SUBSCRIPTION,
      id: (payload) => payload.webhookSubscription.id.value,
      now: { webhookSubscription: { url: 'https://partner.example/new' } },
    },
    refused: ['webhookSubscription.maxEventsPerAttempt', 11, BAD],
  },
  updateWebhookSubscriptionSigningConfiguration: {
    effect: {
      query: SUBSCRIPTION,
      id: (payload) => payload.webhookSubscription.id.value,
      now: { webhookSubscription: { signingAlgorithmCode: 'SeekHmacSha512' } },
    },
    refused: ['webhookSubscription.signingAlgorithmCode', 'Md5', BAD],
  },
  replayWebhookSubscription: {
    effect: {
      query: SUBSCRIPTION,
      id: (payload) => payload.webhookSubscription.id.value,
      now: {
        webhookSubscription: {
          webhookSubscriptionReplays: { edges: [{ node: { request: { typeCode: 'IdReplayRequest' } } }] },
        },
      },
    },
    refused: ['eventIds.0', 'seekAnzPublicTest:event:events:none', BAD],
  },
  deleteWebhookSubscription: {
    effect: {
      query: SUBSCRIPTION,
      id: (payload) => payload.webhookSubscription.id.value,
      now: { webhookSubscription: null },
    },
    refused: ['webhookSubscription.id', 'seekAnzPublicTest:webhookSubscription:events:none', BAD],
  },
};
