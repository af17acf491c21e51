import supertest from 'supertest';
import type { Playground } from '../../playground/src/playground.js';
import { SCOPES } from '../../playground/src/tokens/scopes.js';
import { sendBody, type Answer } from '../support/ask-token.js';
import type { World } from '../../playground/src/data/world.js';
import { theSchema } from '../../playground/src/graphql/schema/schema.js';
import {
  AD,
  CONTACT,
  CONTENT,
  OPENING,
  PERSON,
  POSTING_INSTRUCTION,
  STEP,
} from '../../playground/src/pages/example-mutations.js';
import {
  BRANDING,
  findObjects,
  HIRER,
  MARKET,
  OTHER_LIVE_AD,
  QUESTIONNAIRE,
  UPLOADED,
  type Found,
  type Variables,
} from '../../playground/src/pages/example-objects.js';
import { makeExamples, type Example } from '../../playground/src/pages/examples.js';
import type { Webhooks } from '../../playground/src/webhooks/webhooks.js';

/** The first hirer of the demo. */
export const BANKSIA = 'seekAnzPublicTest:organization:seek:93WyyF1h';
/** A hirer of the demo that lets the partner post and read applications. */
export const NUSANTARA = 'seekAnzPublicTest:organization:seek:4Kd8mQxT';
/** A hirer of the demo that lets the partner read applications and nothing else. */
export const CHAO_PHRAYA = 'seekAnzPublicTest:organization:seek:7RwvC2Hn';
/** A hirer the partner has no relationship with. */
export const UNRELATED = 'seekAnzPublicTest:organization:seek:5TgzB9Lp';
export const MELBOURNE = 'seekAnzPublicTest:location:seek:2FqwWaaMV';

export interface GraphqlAnswer {
  readonly data?: Record<string, never> | null;
  readonly errors?: { message: string; path?: (string | number)[]; extensions: { code: string } }[];
  readonly extensions?: { requestLatency: number };
}

/** Posts JSON; text and bytes are sent unchanged. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const request = supertest(url)
    .post('')
    .set({ 'Content-Type': 'application/json', ...headers });
  return sendBody(request, body);
}

export const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

export function partnerToken({ tokens }: Playground): string {
  return tokens.issuePartner(600);
}

export function browserToken(
  { tokens }: Playground,
  scopes: readonly string[] = SCOPES,
  hirerId = BANKSIA,
): string {
  return tokens.issueBrowser({ hirerId, scopes: new Set(scopes), userId: '42' }, 600);
}

/** Sends one operation with a token, or none. */
export async function ask(
  playground: Playground,
  query: string,
  variables?: Record<string, unknown>,
  token: string | undefined = partnerToken(playground),
  headers: Record<string, string> = {},
): Promise<GraphqlAnswer> {
  const authorization = token === undefined || token === '' ? {} : bearer(token);
  const response = await post(
    `${playground.upstreamUrl}/graphql`,
    { query, ...(variables && { variables }) },
    { ...authorization, ...headers },
  );
  return response.body as GraphqlAnswer;
}

/** The codes of an answer's errors, with the path of each. */
export function errorsOf(answer: GraphqlAnswer): [code: string, path: string][] {
  return (answer.errors ?? []).map(({ extensions, path }) => [extensions.code, (path ?? []).join('.')]);
}

/** The input of an upload: a candidate of the first hirer with this e-mail address. */
export function uploadInput(address: string): object {
  return {
    hiringOrganization: { id: BANKSIA },
    candidate: {
      person: {
        name: { formattedName: 'Robin Example' },
        communication: { email: [{ address }], phone: [] },
      },
      seekPrimaryEmailAddress: address,
      distributionGuidelines: { seekProductCodes: ['ProactiveSourcing'] },
    },
    candidateProfile: {
      createDateTime: '2026-05-01T00:00:00Z',
      updateDateTime: '2026-05-27T00:00:00Z',
      positionPreferences: [],
      seekActions: [],
      seekProcessHistory: [],
    },
  };
}

/** The partner token request that the issuer accepts. */
export function tokenRequest({ settings }: Playground): Record<string, string> {
  return {
    grant_type: 'client_credentials',
    client_id: settings['PARTNER_CLIENT_ID'] ?? '',
    client_secret: settings['PARTNER_CLIENT_SECRET'] ?? '',
    audience: settings['PARTNER_AUDIENCE'] ?? '',
  };
}

const ADDRESS = {
  city: 'Melbourne',
  countryCode: 'AU',
  countrySubDivisions: [{ type: 'State', value: 'Victoria' }],
  extendedLines: [],
  postalCode: '3000',
};
/** An example of every operation, with an input for each mutation but `_empty`. */
export function examplesOf({ world, webhooks }: Playground): Example[] {
  return makeExamples(theSchema(), world, webhooks, inputsOf(world, webhooks));
}

function inputsOf(world: World, webhooks: Webhooks): Record<string, Variables> {
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

function stepInputs({ step }: Found): Record<string, object> {
  return {
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
    updateWebhookSubscriptionDeliveryConfiguration: {
      webhookSubscription: { id, url: 'https://partner.example/new', maxEventsPerAttempt: 5 },
    },
    updateWebhookSubscriptionSigningConfiguration: { webhookSubscription: { id, ...signing } },
    replayWebhookSubscription: { webhookSubscription: { id }, eventIds: [event?.id ?? ''] },
    deleteWebhookSubscription: { webhookSubscription: { id } },
  };
}
