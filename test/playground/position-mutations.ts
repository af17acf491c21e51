import { BAD, type MutationRow } from './mutation-row.js';
import { UNRELATED } from './client.js';

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
