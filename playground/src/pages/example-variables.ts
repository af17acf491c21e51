import { AD_PRODUCTS } from '../data/ad-products.js';
import type { World } from '../data/world.js';
import type { Webhooks } from '../webhooks/webhooks.js';

type Variables = Readonly<Record<string, unknown>>;

const MARKET = 'seekAnzPublicTest';
const LOCATION = `${MARKET}:location:seek:2FqwWaaMV`;
const CATEGORY = `${MARKET}:jobCategory:seek:2EFstqFvP`;
const HIRER = `${MARKET}:organization:seek:93WyyF1h`;
const CANDIDATE = 'globalPublicTest:candidate:uploaded:12uNaG7vqgW6G1jG7qp7ha';

/** Variables for an example of every operation; those of the lists below depend on the world alone. */
export function exampleVariables(world: World, webhooks: Webhooks): Readonly<Record<string, Variables>> {
  return { ...queryVariables(world, webhooks), ...mutationVariables(world, webhooks) };
}

const SUGGESTION = {
  schemeId: MARKET,
  positionProfile: { positionTitle: 'Software Engineer', positionLocation: [LOCATION] },
};
const ADVERTISED = {
  positionProfile: {
    positionTitle: 'Registered Nurse',
    positionLocation: [LOCATION],
    positionOrganizations: [HIRER],
    jobCategories: [CATEGORY],
  },
};

function queryVariables(world: World, webhooks: Webhooks): Record<string, Variables> {
  const subscriptionId = [...webhooks.subscriptions.keys()][0] ?? `${MARKET}:webhookSubscription:events:none`;
  const [event] = world.events.since(0);
  const profileId = `${MARKET}:candidateProfile:apply:4QM5fWQbdekL9gPtPZrzex`;
  return {
    version: {},
    self: {},
    hiringOrganization: { id: HIRER },
    hiringOrganizations: { schemeId: MARKET, first: 3 },
    seekAnzAdvertiser: { id: 10_000_001 },
    location: { id: LOCATION },
    locationSuggestions: { schemeId: MARKET, text: 'syd', usageTypeCode: 'PositionPosting', first: 5 },
    nearestLocations: { schemeId: MARKET, geoLocation: { latitude: -37.81, longitude: 144.96 }, first: 3 },
    inferLocation: {
      schemeId: MARKET,
      address: { formattedAddress: '1 Collins Street, Melbourne VIC 3000' },
    },
    jobCategories: { schemeId: MARKET, positionProfile: { positionLocation: [LOCATION] } },
    jobCategory: { id: CATEGORY },
    jobCategorySuggestions: SUGGESTION,
    currencies: { usageTypeCode: 'SEEKMarket' },
    payTypes: { schemeId: MARKET },
    advertisementBranding: {
      id: 'globalPublicTest:advertisementBranding:hirerBranding:37EWfWxhwVEGTT5BcjfE2L',
    },
    advertisementBrandings: { hirerId: HIRER, first: 3 },
    advertisementProducts: ADVERTISED,
    applicationQuestionnaire: { id: `${MARKET}:applicationQuestionnaire:rrv2:SqFmkV8S2dMipyqbHjD9Mr` },
    applicationLibraryQuestionSuggestions: SUGGESTION,
    postedPositionProfilePreview: ADVERTISED,
    positionOpening: { id: openingIds(world).posted },
    positionOpenings: { hirerId: HIRER, filter: { statusCode: 'Active' }, first: 3 },
    positionProfile: { id: `${MARKET}:positionProfile:jobAd:2782PZfXV` },
    candidate: { id: `${MARKET}:candidate:feed:5PGXAHysjZdkQYwZghfL4bRCqvZ7ZM` },
    candidateProfile: { id: profileId },
    event: { id: event?.id },
    events: { schemeId: MARKET, first: 3 },
    webhookSubscription: { id: subscriptionId },
    webhookSubscriptions: { schemeId: MARKET },
    webhookRequest: { requestId: '00000000-0000-4000-8000-000000000000', schemeId: MARKET },
    webhookRequestsForSubscription: { subscriptionId },
    webhookAttemptsForEvent: { eventId: event?.id },
    webhookSubscriptionReplay: { id: `${MARKET}:webhookSubscriptionReplay:events:none` },
  };
}

function openingIds(world: World): { posted: string; unposted: string } {
  const profiles = [...world.positionProfiles.values()].filter(({ hirerId }) => hirerId === HIRER);
  const opening = (kind: string): string =>
    profiles.find((profile) => profile.kind === kind)?.openingId ?? '';
  return { posted: opening('posted'), unposted: opening('unposted') };
}

const PERSON = { name: { formattedName: 'Robin Example' }, email: [{ address: 'robin@people.example' }] };
const CONTACT = {
  name: { formattedName: 'Sam Example' },
  roleCode: 'HiringManager',
  communication: { email: [{ address: 'sam@hirer.example' }] },
};

function positionInput(isPosted: boolean): Variables {
  const instruction = {
    seekAdvertisementProductId: AD_PRODUCTS[0]?.id,
    idempotencyId: '9f4e6a0c-3f0b-4d0e-9c55-0c3f8a1b7d21',
  };
  return {
    positionTitle: 'Registered Nurse',
    positionLocation: [LOCATION],
    jobCategories: [CATEGORY],
    positionOrganizations: [HIRER],
    positionFormattedDescriptions: [
      { descriptionId: 'AdvertisementDetails', content: '<p>Join our ward.</p>' },
    ],
    offeredRemunerationPackage: {
      basisCode: 'Salaried',
      ranges: [{ intervalCode: 'Year', minimumAmount: { currency: 'AUD', value: 85_000 } }],
    },
    ...(isPosted ? { postingInstructions: [instruction] } : {}),
  };
}

function mutationVariables(world: World, webhooks: Webhooks): Record<string, Variables> {
  const [subscription] = webhooks.subscriptions.values();
  const webhookSubscription = { id: subscription?.id ?? `${MARKET}:webhookSubscription:events:none` };
  const event = world.events.since(0).find(({ type }) => type === subscription?.eventTypeCode);
  const wanted = {
    eventTypeCode: 'PositionProfilePosted',
    schemeId: MARKET,
    url: 'https://partner.example/webhooks',
    signingAlgorithmCode: 'SeekHmacSha512',
    secret: 'sixteen characters or more',
  };
  const signing = { signingAlgorithmCode: wanted.signingAlgorithmCode, secret: wanted.secret };
  const question = { questionHtml: 'When can you start?', responseTypeCode: 'FreeText' };
  return {
    createApplicationQuestionnaire: {
      input: { applicationQuestionnaire: { hirerId: HIRER, components: [question] } },
    },
    ...positionMutationVariables(world),
    ...candidateMutationVariables(world),
    createWebhookSubscription: { input: { webhookSubscription: wanted } },
    updateWebhookSubscriptionDeliveryConfiguration: {
      input: {
        webhookSubscription: {
          ...webhookSubscription,
          url: 'https://partner.example/new',
          maxEventsPerAttempt: 5,
        },
      },
    },
    updateWebhookSubscriptionSigningConfiguration: {
      input: { webhookSubscription: { ...webhookSubscription, ...signing } },
    },
    replayWebhookSubscription: { input: { webhookSubscription, eventIds: [event?.id ?? ''] } },
    deleteWebhookSubscription: { input: { webhookSubscription } },
  };
}

function positionMutationVariables(world: World): Record<string, Variables> {
  const openings = openingIds(world);
  const unpostedId = world.openings.get(openings.unposted)?.profileIds[0];
  const postedId = `${MARKET}:positionProfile:jobAd:27cuZeA47`;
  const opening = { postingRequester: { id: HIRER, personContacts: [CONTACT] } };
  const positionOpening = { documentId: openings.posted };
  return {
    postPosition: { input: { positionOpening: opening, positionProfile: positionInput(true) } },
    postPositionProfileForOpening: { input: { positionOpening, positionProfile: positionInput(true) } },
    updatePostedPositionProfile: {
      input: { positionProfile: { profileId: postedId, positionTitle: 'Senior Nurse' } },
    },
    closePostedPositionProfile: { input: { positionProfile: { profileId: postedId } } },
    createPositionOpening: { input: { positionOpening: opening } },
    updatePositionOpeningStatus: { input: { documentId: openings.posted, statusCode: 'Closed' } },
    updatePositionOpeningPersonContacts: {
      input: { documentId: openings.posted, personContacts: [CONTACT] },
    },
    createUnpostedPositionProfileForOpening: {
      input: { positionOpening, positionProfile: positionInput(false) },
    },
    updateUnpostedPositionProfile: {
      input: { positionProfile: { profileId: unpostedId, positionTitle: 'Senior Nurse' } },
    },
    deleteUnpostedPositionProfile: { input: { positionProfile: { profileId: unpostedId } } },
    deletePositionOpening: { input: { positionOpening: { documentId: openings.unposted } } },
  };
}

function candidateMutationVariables(world: World): Record<string, Variables> {
  const profileId = world.candidates.get(CANDIDATE)?.profileIds[0] ?? '';
  const step = world.candidateProfiles.get(profileId)?.steps[0];
  return {
    uploadCandidate: { input: { hirerId: HIRER, candidate: { person: PERSON } } },
    updateUploadedCandidatePerson: { input: { documentId: CANDIDATE, person: PERSON } },
    updateUploadedCandidateProfileEmployment: { input: { profileId, names: ['Wattle & Co'] } },
    updateUploadedCandidateProfileEducation: { input: { profileId, names: ['Harbour TAFE'] } },
    updateUploadedCandidateProfileQualifications: { input: { profileId, names: ['First aid'] } },
    createCandidateProcessHistoryItem: { input: { profileId, statusCode: 'Interview' } },
    updateCandidateProcessHistoryItem: { input: { id: step?.id, statusCode: 'Offer' } },
    deleteCandidateProcessHistoryItem: { input: { id: step?.id } },
    deleteUploadedCandidate: { input: { documentId: CANDIDATE } },
  };
}
