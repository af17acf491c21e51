/** Changing candidates that the partner uploaded, and the steps of the hiring process. Partner tokens only. */
export const CANDIDATE_MUTATIONS = /* GraphQL */ `
  extend type Mutation {
    "Uploads a candidate of a hirer; a second one with the same address is BAD_USER_INPUT."
    uploadCandidate(input: UploadCandidateInput!): UploadCandidatePayload!
    "Changes the person of an uploaded candidate."
    updateUploadedCandidatePerson(input: UpdateUploadedCandidatePersonInput!): CandidatePayload!
    "Replaces the employment history of an uploaded candidate's profile."
    updateUploadedCandidateProfileEmployment(
      input: UpdateUploadedCandidateProfileListInput!
    ): CandidateProfilePayload!
    "Replaces the education of an uploaded candidate's profile."
    updateUploadedCandidateProfileEducation(
      input: UpdateUploadedCandidateProfileListInput!
    ): CandidateProfilePayload!
    "Replaces the qualifications of an uploaded candidate's profile."
    updateUploadedCandidateProfileQualifications(
      input: UpdateUploadedCandidateProfileListInput!
    ): CandidateProfilePayload!
    "Deletes an uploaded candidate: its profiles stay, with empty lists."
    deleteUploadedCandidate(input: CandidateIdInput!): CandidatePayload!
    "Adds a step to the hiring process of a profile."
    createCandidateProcessHistoryItem(
      input: CreateCandidateProcessHistoryItemInput!
    ): CandidateProcessHistoryItemPayload!
    "Changes a step."
    updateCandidateProcessHistoryItem(
      input: UpdateCandidateProcessHistoryItemInput!
    ): CandidateProcessHistoryItemPayload!
    "Deletes a step."
    deleteCandidateProcessHistoryItem(
      input: CandidateProcessHistoryItemIdInput!
    ): CandidateProcessHistoryItemPayload!
  }

  input UploadCandidateInput {
    hirerId: String!
    candidate: CandidateInput!
  }
  input CandidateInput {
    person: CandidatePersonInput!
  }
  input CandidatePersonInput {
    name: PersonNameInput!
    email: [EmailInput!]!
    phone: [PhoneInput!]
  }
  input UpdateUploadedCandidatePersonInput {
    documentId: String!
    person: CandidatePersonInput!
  }
  input UpdateUploadedCandidateProfileListInput {
    profileId: String!
    "One name each: employers, institutions or competencies."
    names: [String!]!
  }
  input CandidateIdInput {
    documentId: String!
  }
  input CreateCandidateProcessHistoryItemInput {
    profileId: String!
    statusCode: String!
    descriptions: [String!]
  }
  input UpdateCandidateProcessHistoryItemInput {
    id: String!
    statusCode: String!
    descriptions: [String!]
  }
  input CandidateProcessHistoryItemIdInput {
    id: String!
  }

  type UploadCandidatePayload {
    candidate: Candidate!
    candidateProfile: CandidateProfile!
  }
  type CandidatePayload {
    candidate: Candidate!
  }
  type CandidateProfilePayload {
    candidateProfile: CandidateProfile!
  }
  type CandidateProcessHistoryItemPayload {
    candidateProcessHistoryItem: CandidateProcessHistoryItem!
  }
`;
