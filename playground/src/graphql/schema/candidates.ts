/** People and their applications. All of it is for partner tokens only. */
export const CANDIDATES = /* GraphQL */ `
  extend type Query {
    "One candidate by its identifier."
    candidate(id: String!): Candidate

    "One profile of a candidate by its identifier. Lists are empty once the candidate has been deleted."
    candidateProfile(id: String!): CandidateProfile
  }

  type Candidate {
    documentId: ObjectIdentifier!
    person: CandidatePerson!
    "The newest profiles first, ten at most."
    profiles(last: Int): [CandidateProfile!]!
    distributionGuidelines: [DistributionGuideline!]!
    seekPrimaryEmailAddress: String
  }

  type DistributionGuideline {
    hirerId: ObjectIdentifier!
  }

  type CandidatePerson {
    name: PersonName!
    communication: Communication!
  }

  type PersonName {
    formattedName: String!
    given: String
    family: String
  }

  type Communication {
    email: [Email!]!
    phone: [Phone!]!
    address: [PostalAddress!]!
  }

  type Email {
    address: String!
  }

  type Phone {
    formattedNumber: String!
  }

  type PostalAddress {
    countryCode: String
    postalCode: String
    formattedAddress: String
  }

  type CandidateProfile {
    profileId: ObjectIdentifier!
    candidate: Candidate!
    associatedPositionProfile: PositionProfile
    associatedPositionOpenings: [PositionOpening!]! @deprecated(reason: "Use associatedPositionProfile.")
    attachments: [Attachment!]!
    certifications: [Certification!]!
    education: [EducationAttendance!]!
    employment: [EmployerHistory!]!
    qualifications: [PersonCompetency!]!
    candidateSources: [CandidateSource!]!
    seekQuestionnaireSubmission: ApplicationQuestionnaireSubmission
    seekActions: [CandidateProfileAction!]!
    "Steps of the hiring process, the newest last; twenty at most."
    seekProcessHistory(after: String, first: Int): CandidateProcessHistoryConnection!
      @paginated(defaultPageSize: 10, maximumPageSize: 20)
    createDateTime: DateTime!
    updateDateTime: DateTime!
  }

  type Attachment {
    id: ObjectIdentifier!
    descriptions: [String!]!
    "Where to GET or HEAD it, with a partner token or a browser token of the scope download:candidate-profile-attachments."
    url: WebUrl!
    "CoverLetter, Resume, SelectionCriteria, or null."
    seekRoleCode: String
    seekRole: String @deprecated(reason: "Use seekRoleCode.")
  }

  type Certification {
    name: String!
    issued: String
    issuingAuthority: CertificationIssuer
    effectiveTimePeriod: TimePeriod
  }

  type CertificationIssuer {
    name: String!
  }

  type TimePeriod {
    validFrom: String
    validTo: String
  }

  type EducationAttendance {
    institution: EducationInstitution!
    educationDegrees: [EducationDegree!]!
    descriptions: [String!]!
  }

  type EducationInstitution {
    name: String!
  }

  type EducationDegree {
    name: String!
    degreeGrantedStatus: String!
    date: String
  }

  type EmployerHistory {
    organization: EmployerOrganization!
    positionHistories: [PositionHistory!]!
  }

  type EmployerOrganization {
    name: String!
  }

  type PositionHistory {
    title: String!
    start: String!
    end: String
    current: Boolean!
    descriptions: [String!]!
  }

  type PersonCompetency {
    competencyName: String!
  }

  type CandidateSource {
    id: String!
    name: String!
  }

  type ApplicationQuestionnaireSubmission {
    questionnaire: ApplicationQuestionnaire!
    responses: [ApplicationQuestionResponse!]!
    score: Float
  }

  type ApplicationQuestionResponse {
    component: ApplicationQuestion!
    responseTexts: [String!]!
  }

  type CandidateProfileAction {
    code: String!
    url: WebUrl!
  }

  type CandidateProcessHistoryConnection {
    edges: [CandidateProcessHistoryEdge!]!
    pageInfo: PageInfo!
  }

  type CandidateProcessHistoryEdge {
    cursor: String!
    node: CandidateProcessHistoryItem!
  }

  type CandidateProcessHistoryItem {
    id: ObjectIdentifier!
    statusCode: String!
    actionDate: DateTime!
    descriptions: [String!]!
  }
`;
