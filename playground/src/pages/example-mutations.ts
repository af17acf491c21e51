import type { World } from '../data/world.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import {
  BRANDING,
  CATEGORY,
  findObjects,
  HIRER,
  LOCATION,
  MARKET,
  OTHER_LIVE_AD,
  QUESTIONNAIRE,
  UPLOADED,
  type Found,
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

const CONTACT = {
  name: { formattedName: 'Sam Example' },
  roleCode: 'HiringManager',
  communication: { email: [{ address: 'sam@hirer.example' }], phone: [] },
};
const PERSON = {
  name: { formattedName: 'Robin Example', given: 'Robin', family: 'Example' },
  communication: {
    email: [{ address: 'robin@people.example' }],
    phone: [{ formattedNumber: '+61 491 570 006' }],
  },
};
const ADDRESS = {
  city: 'Melbourne',
  countryCode: 'AU',
  countrySubDivisions: [{ type: 'State', value: 'Victoria' }],
  extendedLines: [],
  postalCode: '3000',
};
const CONTENT = {
  positionTitle: 'Registered Nurse',
  positionLocation: [LOCATION],
  jobCategories: [CATEGORY],
  positionFormattedDescriptions: [
    { descriptionId: 'AdvertisementDetails', content: '<p>Join our ward.</p>' },
    { descriptionId: 'SearchSummary', content: 'Join our ward.' },
  ],
  offeredRemunerationPackage: PAY,
};
const AD = {
  ...CONTENT,
  positionOrganizations: [HIRER],
  seekAnzWorkTypeCode: 'FullTime',
  seekHirerJobReference: 'REQ-2041',
};

/** Variables for an example of every mutation but `_empty`. */
export function mutationVariables(world: World, webhooks: Webhooks): Record<string, Variables> {
  const found = findObjects(world);
  const inputs = {
    createApplicationQuestionnaire: { applicationQuestionnaire: { hirerId: HIRER, components: questions() } },
    ...openingInputs(found),
    ...adInputs(found),
    ...unpostedInputs(found),
    ...candidateInputs(found),
    ...stepInputs(found),
    ...webhookInputs(world, webhooks),
  };
  return Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, { input }]));
}

function questions(): object[] {
  const choices = [
    { text: 'Day', preferredIndicator: true },
    { text: 'Night', preferredIndicator: false },
  ];
  const question = {
    componentTypeCode: 'Question',
    questionHtml: 'Which shift would you prefer?',
    responseTypeCode: 'SingleSelect',
    responseChoice: choices,
    value: 'shift',
  };
  const libraryQuestion = {
    componentTypeCode: 'Question',
    id: `${MARKET}:applicationLibraryQuestionSuggestion:library:travel`,
    selectedResponseChoice: [`${MARKET}:applicationLibraryQuestionChoice:library:travel-0`],
  };
  const privacyConsent = {
    componentTypeCode: 'PrivacyConsent',
    privacyPolicyUrl: { url: 'https://hirer.example/privacy' },
    value: 'privacy',
  };
  return [
    { componentTypeCode: 'Question', question },
    { componentTypeCode: 'Question', libraryQuestion },
    { componentTypeCode: 'PrivacyConsent', privacyConsent },
  ];
}

const OPENING = { postingRequester: { id: HIRER, roleCode: 'Company', personContacts: [CONTACT] } };

function openingInputs({ postedOpening, emptyOpening }: Found): Record<string, object> {
  return {
    createPositionOpening: { positionOpening: OPENING },
    updatePositionOpeningStatus: { positionOpening: { documentId: postedOpening, statusCode: 'Closed' } },
    updatePositionOpeningPersonContacts: {
      positionOpening: { documentId: postedOpening, personContacts: [CONTACT] },
    },
    deletePositionOpening: { positionOpening: { documentId: emptyOpening } },
  };
}

function adInputs({ postedOpening }: Found): Record<string, object> {
  const posted = (idempotencyId: string): object => ({
    ...AD,
    postingInstructions: [{ ...POSTING_INSTRUCTION, idempotencyId }],
    seekApplicationQuestionnaireId: QUESTIONNAIRE,
  });
  return {
    postPosition: {
      positionOpening: OPENING,
      positionProfile: posted('9f4e6a0c-3f0b-4d0e-9c55-0c3f8a1b7d21'),
    },
    postPositionProfileForOpening: {
      positionProfile: {
        ...posted('b1f0c9de-7a5b-4c55-8f6e-2d1c7e0a9b34'),
        positionOpeningId: postedOpening,
      },
    },
    updatePostedPositionProfile: {
      positionProfile: {
        ...AD,
        profileId: OTHER_LIVE_AD,
        positionTitle: 'Senior Nurse',
        postingInstructions: [{ seekAnzAdvertisementType: 'Premium', brandingId: BRANDING }],
      },
    },
    closePostedPositionProfile: { positionProfile: { profileId: OTHER_LIVE_AD } },
  };
}

function unpostedInputs({ postedOpening, unposted }: Found): Record<string, object> {
  const profile = { ...CONTENT, profileName: 'Nurses in Melbourne', positionScheduleTypeCodes: ['FullTime'] };
  return {
    createUnpostedPositionProfileForOpening: {
      positionProfile: { ...profile, positionOpeningId: postedOpening, positionOrganizations: [HIRER] },
    },
    updateUnpostedPositionProfile: { positionProfile: { ...profile, profileId: unposted } },
    deleteUnpostedPositionProfile: { positionProfile: { profileId: unposted } },
  };
}

const STEP = {
  action: { code: 'PhoneCall', name: 'First call', description: 'Can start in a month.' },
  actionDate: '2026-05-27T03:30:00Z',
  primaryParties: [{ organization: { name: 'Banksia Health Group' } }],
  status: { code: 'Interview' },
};
const ACTION = { code: 'ViewProfile', seekUrl: { url: 'https://partner.example/candidates/2041' } };
const PREFERENCES = [{ locations: [{ referenceLocation: ADDRESS }] }];
const DATES = { createDateTime: '2026-05-01T00:00:00Z', updateDateTime: '2026-05-27T00:00:00Z' };

function candidateInputs({ uploadedProfile: profileId }: Found): Record<string, object> {
  const person = { person: PERSON, seekPrimaryEmailAddress: 'robin@people.example' };
  const newcomer = { communication: { email: [{ address: 'kim@people.example' }], phone: [] } };
  return {
    uploadCandidate: {
      hiringOrganization: { id: HIRER },
      candidate: {
        person: { ...PERSON, ...newcomer },
        seekPrimaryEmailAddress: 'kim@people.example',
        distributionGuidelines: { seekProductCodes: ['ProactiveSourcing'] },
      },
      candidateProfile: {
        ...DATES,
        positionPreferences: PREFERENCES,
        seekActions: [ACTION],
        seekProcessHistory: [STEP],
      },
    },
    updateUploadedCandidatePerson: { candidate: { documentId: UPLOADED, ...person } },
    updateUploadedCandidateProfileActions: { candidateProfile: { profileId, seekActions: [ACTION] } },
    updateUploadedCandidateProfileDates: { candidateProfile: { profileId, ...DATES } },
    updateUploadedCandidateProfilePositionPreferences: {
      candidateProfile: { profileId, positionPreferences: PREFERENCES },
    },
    deleteUploadedCandidate: { candidate: { documentId: UPLOADED } },
  };
}

function stepInputs({ uploadedProfile, step }: Found): Record<string, object> {
  return {
    createCandidateProcessHistoryItem: {
      candidateProfile: { profileId: uploadedProfile },
      candidateProcessHistoryItem: { ...STEP, idempotencyId: '5c1f8a52-3b0e-4d8c-9a41-7e2f6b0d9c18' },
    },
    updateCandidateProcessHistoryItem: {
      candidateProcessHistoryItem: { ...STEP, id: step, status: { code: 'Offer' } },
    },
    deleteCandidateProcessHistoryItem: { candidateProcessHistoryItem: { id: step } },
  };
}

function webhookInputs(world: World, webhooks: Webhooks): Record<string, object> {
  const [subscription] = webhooks.subscriptions.values();
  const id = subscription?.id ?? `${MARKET}:webhookSubscription:events:none`;
  const event = world.events.since(0).find(({ type }) => type === subscription?.eventTypeCode);
  const signing = { signingAlgorithmCode: 'SeekHmacSha512', secret: 'sixteen characters or more' };
  return {
    createWebhookSubscription: {
      webhookSubscription: {
        eventTypeCode: 'PositionProfilePosted',
        schemeId: MARKET,
        url: 'https://partner.example/webhooks',
        ...signing,
      },
    },
    updateWebhookSubscriptionDeliveryConfiguration: {
      webhookSubscription: { id, url: 'https://partner.example/new', maxEventsPerAttempt: 5 },
    },
    updateWebhookSubscriptionSigningConfiguration: { webhookSubscription: { id, ...signing } },
    replayWebhookSubscription: { webhookSubscription: { id }, eventIds: [event?.id ?? ''] },
    deleteWebhookSubscription: { webhookSubscription: { id } },
  };
}
