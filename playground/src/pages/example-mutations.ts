import type { World } from '../data/world.js';
import {
  BRANDING,
  CATEGORY,
  findObjects,
  HIRER,
  LOCATION,
  MARKET,
  OTHER_LIVE_AD,
  QUESTIONNAIRE,
  type Variables,
} from './example-objects.js';

/** Pay between two amounts. */
export const PAY = {
  basisCode: 'Salaried',
  descriptions: ['$85,000 to $95,000 and super'],
  ranges: [
    {
      intervalCode: 'Year',
      minimumAmount: { currency: 'AUD', value: 85_000 },
      maximumAmount: { currency: 'AUD', value: 95_000 },
    },
  ],
};
/** How an ad is advertised. */
export const POSTING_INSTRUCTION = { seekAnzAdvertisementType: 'StandOut', brandingId: BRANDING };

/** A contact of an opening. */
export const CONTACT = {
  name: { formattedName: 'Sam Example' },
  roleCode: 'HiringManager',
  communication: { email: [{ address: 'sam@hirer.example' }], phone: [] },
};
/** A candidate. */
export const PERSON = {
  name: { formattedName: 'Robin Example', given: 'Robin', family: 'Example' },
  communication: {
    email: [{ address: 'robin@people.example' }],
    phone: [{ formattedNumber: '+61 491 570 006' }],
  },
};
/** What every kind of position profile says. */
export const CONTENT = {
  positionTitle: 'Registered Nurse',
  positionLocation: [LOCATION],
  jobCategories: [CATEGORY],
  positionFormattedDescriptions: [
    { descriptionId: 'AdvertisementDetails', content: '<p>Join our ward.</p>' },
    { descriptionId: 'SearchSummary', content: 'Join our ward.' },
  ],
  offeredRemunerationPackage: PAY,
};
/** An ad of the hirer. */
export const AD = {
  ...CONTENT,
  positionOrganizations: [HIRER],
  seekAnzWorkTypeCode: 'FullTime',
  seekHirerJobReference: 'REQ-2041',
};

/** An opening of the hirer. */
export const OPENING = { postingRequester: { id: HIRER, roleCode: 'Company', personContacts: [CONTACT] } };

/** A step of a hiring process. */
export const STEP = {
  action: { code: 'PhoneCall', name: 'First call', description: 'Can start in a month.' },
  actionDate: '2026-05-27T03:30:00Z',
  primaryParties: [{ organization: { name: 'Banksia Health Group' } }],
  status: { code: 'Interview' },
};

/** Variables for an example of some mutations; the others open with an empty input. */
export function mutationVariables(world: World): Record<string, Variables> {
  const profileId = findObjects(world).uploadedProfile;
  const email = 'kim@people.example';
  const instruction = { ...POSTING_INSTRUCTION, idempotencyId: '9f4e6a0c-3f0b-4d0e-9c55-0c3f8a1b7d21' };
  const times = { createDateTime: '2026-05-01T00:00:00Z', updateDateTime: '2026-05-27T00:00:00Z' };
  const inputs = {
    postPosition: {
      positionOpening: OPENING,
      positionProfile: {
        ...AD,
        postingInstructions: [instruction],
        seekApplicationQuestionnaireId: QUESTIONNAIRE,
      },
    },
    closePostedPositionProfile: { positionProfile: { profileId: OTHER_LIVE_AD } },
    uploadCandidate: {
      hiringOrganization: { id: HIRER },
      candidate: {
        person: { ...PERSON, communication: { email: [{ address: email }], phone: [] } },
        seekPrimaryEmailAddress: email,
        distributionGuidelines: { seekProductCodes: ['ProactiveSourcing'] },
      },
      candidateProfile: { ...times, positionPreferences: [], seekActions: [], seekProcessHistory: [STEP] },
    },
    createCandidateProcessHistoryItem: {
      candidateProfile: { profileId },
      candidateProcessHistoryItem: { ...STEP, idempotencyId: '5c1f8a52-3b0e-4d8c-9a41-7e2f6b0d9c18' },
    },
    createWebhookSubscription: {
      webhookSubscription: {
        eventTypeCode: 'PositionProfilePosted',
        schemeId: MARKET,
        url: 'https://partner.example/webhooks',
        signingAlgorithmCode: 'SeekHmacSha512',
        secret: 'sixteen characters or more',
      },
    },
  };
  return Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, { input }]));
}
