import { request, type Bff } from 'partner-bff-client';
import {
  CreateApplicationQuestionnaireDocument,
  PositionProfilePreviewDocument,
  PostPositionDocument,
  PostPositionProfileDocument,
  UpdatePositionProfileDocument,
} from '../operations.ts';
import { contentOf, instructionOf, referencesOf, type Draft } from './draft.ts';

/** The address of a page that shows the ad as it will look, for a day. */
export async function previewAd(bff: Bff, draft: Draft): Promise<string> {
  const { profileId } = draft;
  const positionProfile = {
    ...(profileId !== undefined && { profileId }),
    ...contentOf(draft, bff.hirerId!),
    postingInstructions: [instructionOf(draft)],
  };
  const { postedPositionProfilePreview: preview } = await request(bff, {
    query: PositionProfilePreviewDocument,
    variables: { positionProfile },
  });
  return preview.previewUri.url;
}

/**
 * The draft with a questionnaire of its questions, which the upstream keeps: keep the draft that is returned, so that a
 * second attempt makes no second one.
 */
export async function withQuestionnaire(bff: Bff, draft: Draft): Promise<Draft> {
  if (draft.questionIds.length === 0 || draft.questionnaireId !== undefined) return draft;
  const componentTypeCode = 'Question';
  const components = draft.questionIds.map((id) => ({
    componentTypeCode,
    libraryQuestion: { id, componentTypeCode },
  }));
  const input = { applicationQuestionnaire: { hirerId: bff.hirerId!, components } };
  const { createApplicationQuestionnaire } = await request(bff, {
    query: CreateApplicationQuestionnaireDocument,
    variables: { input },
  });
  return { ...draft, questionnaireId: createApplicationQuestionnaire.applicationQuestionnaire.id.value };
}

/** The ad and its opening. That an earlier attempt has posted the ad already is a success too. */
export interface Posted {
  readonly profileId: string;
  readonly openingId: string;
}

/** Posts an ad. The upstream does so after its answer; an event tells whether it succeeded. */
export async function postAd(bff: Bff, draft: Draft): Promise<Posted> {
  const positionProfile = {
    ...contentOf(draft, bff.hirerId!),
    ...referencesOf(draft),
    postingInstructions: [{ ...instructionOf(draft), idempotencyId: draft.idempotencyId }],
  };
  if (draft.openingId !== undefined) return postForOpening(bff, draft.openingId, positionProfile);
  const contact = {
    name: { formattedName: draft.contactName.trim() },
    communication: { email: [{ address: draft.contactEmail.trim() }], phone: [] },
    roleCode: draft.contactRole,
  };
  const postingRequester = { id: bff.hirerId!, roleCode: 'Company', personContacts: [contact] };
  const { postPosition: answer } = await request(bff, {
    query: PostPositionDocument,
    variables: { input: { positionOpening: { postingRequester }, positionProfile } },
  });
  const [opening, profile] =
    answer.__typename === 'PostPositionPayload_Success'
      ? [answer.positionOpening, answer.positionProfile]
      : [answer.conflictingPositionOpening, answer.conflictingPositionProfile];
  return { openingId: opening.documentId.value, profileId: profile.profileId.value };
}

type PositionProfileInput = ReturnType<typeof contentOf> & {
  postingInstructions: (ReturnType<typeof instructionOf> & { idempotencyId: string })[];
};

async function postForOpening(bff: Bff, openingId: string, ad: PositionProfileInput): Promise<Posted> {
  const { postPositionProfileForOpening: answer } = await request(bff, {
    query: PostPositionProfileDocument,
    variables: { input: { positionProfile: { ...ad, positionOpeningId: openingId } } },
  });
  const { profileId } =
    answer.__typename === 'PostPositionProfileForOpeningPayload_Success'
      ? answer.positionProfile
      : answer.conflictingPositionProfile;
  return { profileId: profileId.value, openingId };
}

/** Changes a live ad; an event tells when it is done. The upstream empties what is left out. */
export async function updateAd(bff: Bff, draft: Draft): Promise<void> {
  const positionProfile = {
    profileId: draft.profileId!,
    ...contentOf(draft, bff.hirerId!),
    ...referencesOf(draft),
    postingInstructions: [instructionOf(draft)],
  };
  await request(bff, { query: UpdatePositionProfileDocument, variables: { input: { positionProfile } } });
}
