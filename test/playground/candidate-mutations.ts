import { BAD, type MutationRow } from './mutation-row.js';

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
