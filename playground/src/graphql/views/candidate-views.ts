import type { Attachment, Candidate, CandidateProfile, ProcessStep } from '../../data/records.js';
import { makeResume, type Resume } from '../../data/resume.js';
import { assertHirer } from '../access.js';
import type { Context } from '../context.js';
import { graphqlError } from '../errors.js';
import { findObject, requireObject } from '../find-object.js';
import { pageOf, type PageArgs } from '../paging.js';
import type { RootFields } from '../root-fields.js';
import { questionnaireView, questionView } from './advertising-views.js';
import { communicationView, openingView, positionProfileView } from './position-views.js';

/** Candidate of the schema. */
export function candidateView(candidate: Candidate): object {
  const { person } = candidate;
  return {
    documentId: { value: candidate.id },
    person: {
      name: { formattedName: person.formattedName, given: person.given, family: person.family },
      communication: communicationView(person.emails, person.phones, person.countryCode),
    },
    profiles: ({ last }: { last?: number | null }, { world }: Context) => {
      const size = last ?? 10;
      if (size < 1 || size > 10) throw graphqlError('BAD_USER_INPUT', 'last must be from 1 to 10.');
      const ids = candidate.profileIds.slice(-size).reverse();
      return ids.map((id) => candidateProfileView(requireObject(world.candidateProfiles, id, 'profile')));
    },
    distributionGuidelines: [{ hirerId: { value: candidate.hirerId } }],
    seekPrimaryEmailAddress: person.emails[0] ?? null,
  };
}

/** CandidateProfile of the schema; its lists are empty once the candidate has been deleted. */
export function candidateProfileView(profile: CandidateProfile): object {
  const candidateOf = ({ world }: Context): Candidate =>
    requireObject(world.candidates, profile.candidateId, 'candidate');
  const positionOf = ({ world }: Context) =>
    profile.positionProfileId === null ? undefined : world.positionProfiles.get(profile.positionProfileId);
  const unlessDeleted =
    (list: (context: Context) => object[]) =>
    (_args: unknown, context: Context): object[] =>
      candidateOf(context).isDeleted ? [] : list(context);
  const resume = makeResume(profile);
  return {
    profileId: { value: profile.id },
    candidate: (_args: unknown, context: Context) => candidateView(candidateOf(context)),
    associatedPositionProfile: (_args: unknown, context: Context) => {
      const position = positionOf(context);
      return position === undefined ? null : positionProfileView(position);
    },
    associatedPositionOpenings: unlessDeleted((context) => {
      const opening = context.world.openings.get(positionOf(context)?.openingId ?? '');
      return opening === undefined ? [] : [openingView(opening)];
    }),
    attachments: unlessDeleted((context) =>
      profile.attachmentIds.map((id) =>
        attachmentView(requireObject(context.world.attachments, id, 'attachment'), context),
      ),
    ),
    certifications: unlessDeleted(() => certificationViews(resume)),
    education: unlessDeleted(() => educationViews(resume)),
    employment: unlessDeleted(() => employmentViews(resume)),
    qualifications: unlessDeleted(() => resume.competencies.map((competencyName) => ({ competencyName }))),
    candidateSources: [{ id: 'seek', name: 'Job board' }],
    seekQuestionnaireSubmission: (_args: unknown, context: Context) => submissionView(profile, context),
    seekActions: [],
    seekProcessHistory: (page: PageArgs) =>
      pageOf(profile.steps, page, { sizeMax: 20, keyOf: ({ id }) => id, node: processStepView }),
    createDateTime: new Date(profile.createdMs).toISOString(),
    updateDateTime: new Date(profile.updatedMs).toISOString(),
  };
}

/** Attachment of the schema, with an address on the upstream's own origin. */
function attachmentView(attachment: Attachment, { baseUrl }: Context): object {
  const last = (id: string): string => id.slice(id.lastIndexOf(':') + 1);
  return {
    id: { value: attachment.id },
    descriptions: [attachment.fileName],
    url: `${baseUrl()}/anzPublicTest/applications/${last(attachment.profileId)}/attachments/${last(attachment.id)}`,
    seekRoleCode: attachment.roleCode,
    seekRole: attachment.roleCode,
  };
}

/** CandidateProcessHistoryItem of the schema. */
export function processStepView(step: ProcessStep): object {
  return {
    id: { value: step.id },
    statusCode: step.statusCode,
    actionDate: new Date(step.actionDateMs).toISOString(),
    descriptions: step.descriptions,
  };
}

function certificationViews({ certificate }: Resume): object[] {
  if (certificate === null) return [];
  return [{ name: certificate, issued: '2023-02', issuingAuthority: { name: 'National Training Board' } }];
}

function educationViews({ institutions, degree }: Resume): object[] {
  return institutions.map((name) => ({
    institution: { name },
    educationDegrees: [{ name: degree, degreeGrantedStatus: 'Granted', date: '2017' }],
    descriptions: [],
  }));
}

function employmentViews({ employers, title }: Resume): object[] {
  return employers.map((name, index) => ({
    organization: { name },
    positionHistories: [
      {
        title,
        start: `${String(2021 - index * 3)}-03`,
        end: index === 0 ? null : `${String(2024 - index * 3)}-02`,
        current: index === 0,
        descriptions: [],
      },
    ],
  }));
}

function submissionView({ positionProfileId }: CandidateProfile, { world }: Context): object | null {
  const position = positionProfileId === null ? undefined : world.positionProfiles.get(positionProfileId);
  const questionnaire = world.questionnaires.get(position?.questionnaireId ?? '');
  if (questionnaire === undefined) return null;
  return {
    questionnaire: questionnaireView(questionnaire),
    responses: questionnaire.questions.map((question) => ({
      component: questionView(question),
      responseTexts: [question.choices[0]?.text ?? 'It is close to my home.'],
    })),
    score: 1,
  };
}

/** Queries for candidates, their profiles and their steps in a hiring process. */
export const candidateQueries: RootFields = {
  candidate: ({ id }: { id: string }, context) => {
    const candidate = findObject(context.world.candidates, id, context);
    if (candidate === null) return null;
    assertHirer(candidate.hirerId, context, 'ApplicationExport');
    return candidateView(candidate);
  },
  candidateProfile: ({ id }: { id: string }, context) => {
    const profile = findObject(context.world.candidateProfiles, id, context);
    if (profile === null) return null;
    assertHirer(profile.hirerId, context, 'ApplicationExport');
    return candidateProfileView(profile);
  },
};
