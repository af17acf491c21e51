import type { World } from '../data/world.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import {
  BRANDING,
  CATEGORY,
  findObjects,
  HIRER,
  LIVE_AD,
  LOCATION,
  MARKET,
  QUESTIONNAIRE,
  type Variables,
} from './example-objects.js';
import { PAY, POSTING_INSTRUCTION } from './example-mutations.js';

const SUGGESTION = {
  schemeId: MARKET,
  positionProfile: { positionTitle: 'Software Engineer', positionLocation: [LOCATION] },
};
const ADVERTISED = {
  positionTitle: 'Registered Nurse',
  positionLocation: [LOCATION],
  positionOrganizations: [HIRER],
  jobCategories: [CATEGORY],
};
const DRAFT = { positionTitle: 'Registered Nurse', jobCategoryId: CATEGORY, positionLocationId: LOCATION };

/** Variables for an example of every query. */
export function queryVariables(world: World, webhooks: Webhooks): Record<string, Variables> {
  return {
    version: {},
    self: {},
    ...organizationVariables(),
    ...ontologyVariables(),
    ...advertisingVariables(),
    ...positionVariables(world),
    ...eventVariables(world, webhooks),
  };
}

function organizationVariables(): Record<string, Variables> {
  return {
    hiringOrganization: { id: HIRER },
    hiringOrganizations: { schemeId: MARKET, first: 3 },
    seekAnzAdvertiser: { id: 10_000_001 },
  };
}

function ontologyVariables(): Record<string, Variables> {
  return {
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
  };
}

function advertisingVariables(): Record<string, Variables> {
  return {
    advertisementBranding: { id: BRANDING },
    advertisementBrandings: { hirerId: HIRER, first: 3 },
    advertisementProducts: { positionProfile: ADVERTISED },
    seekAnzHirerAdvertisementCreationProducts: { hirerId: HIRER, draftAdvertisement: DRAFT },
    seekAnzHirerAdvertisementModificationProducts: {
      hirerId: HIRER,
      advertisementId: LIVE_AD,
      draftAdvertisement: DRAFT,
    },
    seekAnzHirerAdvertisementModificationProductsAlt: {
      hirerId: HIRER,
      advertisement: { ...DRAFT, typeCode: 'Classic' },
      draftAdvertisement: DRAFT,
    },
    applicationQuestionnaire: { id: QUESTIONNAIRE },
    applicationLibraryQuestionSuggestions: { schemeId: MARKET, positionProfile: ADVERTISED },
  };
}

function positionVariables(world: World): Record<string, Variables> {
  const { postedOpening, step } = findObjects(world);
  return {
    postedPositionProfilePreview: {
      positionProfile: {
        ...ADVERTISED,
        offeredRemunerationPackage: PAY,
        postingInstructions: [POSTING_INSTRUCTION],
        seekAnzWorkTypeCode: 'FullTime',
      },
    },
    positionOpening: { id: postedOpening },
    positionOpenings: { hirerId: HIRER, filter: { statusCode: 'Active' }, first: 3 },
    positionProfile: { id: LIVE_AD },
    candidate: { id: `${MARKET}:candidate:feed:5PGXAHysjZdkQYwZghfL4bRCqvZ7ZM` },
    candidateProfile: { id: `${MARKET}:candidateProfile:apply:4QM5fWQbdekL9gPtPZrzex` },
    candidateProcessHistoryItem: { id: step },
  };
}

function eventVariables(world: World, webhooks: Webhooks): Record<string, Variables> {
  const subscriptionId = [...webhooks.subscriptions.keys()][0] ?? `${MARKET}:webhookSubscription:events:none`;
  const [event] = world.events.since(0);
  return {
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
