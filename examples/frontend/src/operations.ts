// Written by "npm run operations -- types". partner-bff-client sends a document by the name that it carries; without it,
// send {"documentId": document.documentId, "variables": …}.
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** The address of a web page for people. */
export type WebUrlInput = {
  url: string;
};

/** A point on the map, in degrees. */
export type GeoLocationInput = {
  latitude: number;
  longitude: number;
};

export type JobCategories_PositionProfileInput = {
  positionLocation: Array<string>;
};

export type JobCategorySuggestionPositionProfileInput = {
  /** Only `AdvertisementDetails` counts. */
  positionFormattedDescriptions?: Array<PositionFormattedDescriptionInput> | null | undefined;
  positionLocation: Array<string>;
  positionOrganizations?: Array<string> | null | undefined;
  positionTitle: string;
};

export type AddressComponentInput = {
  /** `Apartment` or `State`. */
  type: string;
  value: string;
};

/** A postal address. */
export type AddressInput = {
  city: string;
  countryCode: string;
  /** Five at most. */
  countrySubDivisions: Array<AddressComponentInput>;
  /** Five at most. */
  extendedLines: Array<AddressComponentInput>;
  /** 1,000 characters at most. */
  formattedAddress?: string | null | undefined;
  geoLocation?: GeoLocationInput | null | undefined;
  line?: string | null | undefined;
  /** 50 characters at most. */
  postalCode: string;
};

/** How to reach a person. Every list has the preferred way first and five members at most. */
export type CommunicationInput = {
  address?: Array<AddressInput> | null | undefined;
  email: Array<EmailInput>;
  phone: Array<PhoneInput>;
  seekDoNotContactIndicator?: boolean | null | undefined;
};

export type EmailInput = {
  /** 255 bytes at most. */
  address: string;
};

export type OrganizationInput = {
  name: string;
};

export type PersonNameInput = {
  family?: string | null | undefined;
  formattedName: string;
  given?: string | null | undefined;
};

export type PhoneInput = {
  formattedNumber: string;
};

/** A person in a role. */
export type SpecifiedPersonInput = {
  communication: CommunicationInput;
  name: PersonNameInput;
  /** `HiringManager` or `Recruiter`; required for the contacts of a position opening. */
  roleCode?: string | null | undefined;
};

/** The ad to be posted or changed. */
export type AdvertisementProducts_PositionProfileInput = {
  /** The live ad to be changed; left out for a new one. */
  profileId?: string | null | undefined;
  /** Exactly one, without children. */
  jobCategories: Array<string>;
  offeredRemunerationPackage?: RemunerationPackageInput | null | undefined;
  /** Exactly one. */
  positionLocation: Array<string>;
  /** Exactly one. */
  positionOrganizations: Array<string>;
  /** 80 characters at most. */
  positionTitle: string;
  seekAnzWorkTypeCode?: string | null | undefined;
};

export type ApplicationLibraryQuestionInput = {
  /** The identifier of a suggestion, or of the question itself. */
  id: string;
  /** Always `Question`. */
  componentTypeCode: string;
  /** The preferred answers; a lowest and a highest one for a range. */
  selectedResponseChoice?: Array<string> | null | undefined;
};

export type ApplicationLibraryQuestionSuggestions_PositionProfileInput = {
  /** Exactly one. */
  jobCategories: Array<string>;
  positionFormattedDescriptions?: Array<PositionFormattedDescriptionInput> | null | undefined;
  /** Exactly one. */
  positionLocation: Array<string>;
  /** Exactly one. */
  positionOrganizations: Array<string>;
  /** 80 characters at most. */
  positionTitle: string;
};

export type ApplicationPrivacyConsentInput = {
  /** Always `PrivacyConsent`. */
  componentTypeCode: string;
  descriptionHtml?: string | null | undefined;
  /** 1,000 characters at most. */
  privacyPolicyUrl: WebUrlInput;
  /** The partner's own identifier, different for each component. */
  value?: string | null | undefined;
};

export type ApplicationQuestionChoiceInput = {
  preferredIndicator: boolean;
  text: string;
  /** The partner's own identifier, different for each choice. */
  value?: string | null | undefined;
};

export type ApplicationQuestionInput = {
  /** Always `Question`. */
  componentTypeCode: string;
  /** 1,000 characters at most. */
  questionHtml: string;
  /** From 2 to 99 with different texts; none for a free answer. */
  responseChoice?: Array<ApplicationQuestionChoiceInput> | null | undefined;
  /** `FreeText`, `SingleSelect` or `MultiSelect`. */
  responseTypeCode: string;
  /** The partner's own identifier, different for each component. */
  value?: string | null | undefined;
};

/** One part of a questionnaire: the member that the type code names. */
export type ApplicationQuestionnaireComponentInput = {
  /** `Question` with `question` or `libraryQuestion`; `PrivacyConsent` with `privacyConsent`. */
  componentTypeCode: string;
  libraryQuestion?: ApplicationLibraryQuestionInput | null | undefined;
  privacyConsent?: ApplicationPrivacyConsentInput | null | undefined;
  question?: ApplicationQuestionInput | null | undefined;
};

export type CreateApplicationQuestionnaireInput = {
  applicationQuestionnaire: CreateApplicationQuestionnaire_ApplicationQuestionnaireInput;
};

export type CreateApplicationQuestionnaire_ApplicationQuestionnaireInput = {
  components: Array<ApplicationQuestionnaireComponentInput>;
  /** The hirer whose ads can use it. */
  hirerId: string;
};

export type ApplicationMethodInput = {
  /** The hirer's own form. Needs the method `ApplicationUri`. */
  applicationUri?: WebUrlInput | null | undefined;
};

/** A text of the ad. An ad needs `AdvertisementDetails` and `SearchSummary`. */
export type PositionFormattedDescriptionInput = {
  /** In HTML. `AdvertisementDetails` has 15,000 characters at most, `SearchSummary` 150, `SearchBulletPoint` 80. */
  content: string;
  /** `AdvertisementDetails`, `SearchBulletPoint` (three at most) or `SearchSummary`. */
  descriptionId: string;
};

export type PositionOpeningsFilterInput = {
  /** `Incomplete`, `Active` or `Closed`. */
  statusCode?: string | null | undefined;
};

export type RemunerationAmountInput = {
  /** Three letters (ISO 4217), one of `currencies`. */
  currency: string;
  /** In the main unit of the currency, such as dollars. */
  value: number;
};

/** The pay. The amounts serve searches; only the descriptions are shown. */
export type RemunerationPackageInput = {
  /** `Hourly`, `Salaried` or `SalariedPlusCommission`. */
  basisCode: string;
  /** One of 50 characters at most, or an empty list. */
  descriptions: Array<string>;
  /** Exactly one for an ad. */
  ranges: Array<RemunerationRangeInput>;
};

export type RemunerationRangeInput = {
  /** An interval that a pay type has for the basis: `Hour`, `Month` or `Year`. */
  intervalCode: string;
  /** Not below the minimum, and in the same currency. */
  maximumAmount?: RemunerationAmountInput | null | undefined;
  /** More than 0. */
  minimumAmount: RemunerationAmountInput;
};

/** A video within the ad. An address that is not one of a YouTube video is ignored. */
export type SeekVideoInput = {
  /** `Above` or `Below` the details. */
  seekAnzPositionCode: string;
  url: string;
};

/** The ad as far as it is known. */
export type PostedPositionProfilePreview_PositionProfileInput = {
  /** The live ad to be changed; left out for a new one. */
  profileId?: string | null | undefined;
  /** One at most. */
  jobCategories?: Array<string> | null | undefined;
  offeredRemunerationPackage: PostedPositionProfilePreview_RemunerationPackageInput;
  positionFormattedDescriptions?: Array<PositionFormattedDescriptionInput> | null | undefined;
  /** One at most. */
  positionLocation?: Array<string> | null | undefined;
  /** Exactly one. */
  positionOrganizations: Array<string>;
  /** 80 characters at most. */
  positionTitle: string;
  /** Exactly one. */
  postingInstructions: Array<PostedPositionProfilePreview_PostingInstructionInput>;
  /** `Casual`, `ContractTemp`, `FullTime` or `PartTime`; required. */
  seekAnzWorkTypeCode: string;
  /** A questionnaire of the hirer. Not for ads that lead to the hirer's own form. */
  seekApplicationQuestionnaireId?: string | null | undefined;
  seekVideo?: SeekVideoInput | null | undefined;
};

export type PostedPositionProfilePreview_PostingInstructionInput = {
  /** One at most. Without one, people apply on the job board. */
  applicationMethods?: Array<ApplicationMethodInput> | null | undefined;
  /** A branding of the hirer. Ignored if the product has no branding. */
  brandingId?: string | null | undefined;
  /** One of `advertisementProducts`. This or `seekAnzAdvertisementType` is required. */
  seekAdvertisementProductId?: string | null | undefined;
  /** `Classic`, `StandOut` or `Premium`. */
  seekAnzAdvertisementType?: string | null | undefined;
};

export type PostedPositionProfilePreview_RemunerationPackageInput = {
  /** `Hourly`, `Salaried` or `SalariedPlusCommission`. */
  basisCode?: string | null | undefined;
  /** One of 50 characters at most, or an empty list. */
  descriptions: Array<string>;
  /** Exactly one for an ad. */
  ranges?: Array<PostedPositionProfilePreview_RemunerationRangeInput> | null | undefined;
};

export type PostedPositionProfilePreview_RemunerationRangeInput = {
  /** An interval that a pay type has for the basis: `Hour`, `Month` or `Year`. */
  intervalCode: string;
  /** Not below the minimum, and in the same currency. */
  maximumAmount?: RemunerationAmountInput | null | undefined;
  /** More than 0. */
  minimumAmount: RemunerationAmountInput;
};

export type ClosePostedPositionProfileInput = {
  positionProfile: ClosePostedPositionProfile_PositionProfileInput;
};

export type ClosePostedPositionProfile_PositionProfileInput = {
  profileId: string;
};

export type CreatePositionOpening_PositionOpeningInput = {
  postingRequester: PostingRequesterInput;
  /** 1,000 characters at most. */
  seekPartnerMetadata?: string | null | undefined;
  /** `Active` by default. */
  statusCode?: string | null | undefined;
};

export type CreatePostingInstructionInput = {
  /** One at most. Without one, people apply on the job board. */
  applicationMethods?: Array<ApplicationMethodInput> | null | undefined;
  /** A branding of the hirer. Ignored if the product has no branding. */
  brandingId?: string | null | undefined;
  /** 30 days from now at most, which is also the default. */
  end?: string | null | undefined;
  /** Unique for each ad, such as a UUID. Send the same one when trying again. */
  idempotencyId: string;
  /** One of `advertisementProducts`. This or `seekAnzAdvertisementType` is required. */
  seekAdvertisementProductId?: string | null | undefined;
  /** `Classic`, `StandOut` or `Premium`. */
  seekAnzAdvertisementType?: string | null | undefined;
};

export type PostPositionInput = {
  positionOpening: CreatePositionOpening_PositionOpeningInput;
  positionProfile: PostPosition_PositionProfileInput;
};

export type PostPositionProfileForOpeningInput = {
  positionProfile: PostPositionProfileForOpeningPositionProfileInput;
};

/** An ad. */
export type PostPositionProfileForOpeningPositionProfileInput = {
  /** Exactly one, without children. */
  jobCategories: Array<string>;
  offeredRemunerationPackage: RemunerationPackageInput;
  positionFormattedDescriptions: Array<PositionFormattedDescriptionInput>;
  /** Exactly one. */
  positionLocation: Array<string>;
  /** The opening has at most 25 profiles. */
  positionOpeningId: string;
  /** Exactly one: the hirer of the opening. */
  positionOrganizations: Array<string>;
  /** Left out for an ad, which has `seekAnzWorkTypeCode`. */
  positionScheduleTypeCodes?: Array<string> | null | undefined;
  /** 80 characters at most. */
  positionTitle: string;
  /** Exactly one. */
  postingInstructions: Array<CreatePostingInstructionInput>;
  /** `Casual`, `ContractTemp`, `FullTime` or `PartTime`; required. */
  seekAnzWorkTypeCode?: string | null | undefined;
  /** A questionnaire of the hirer. Not for ads that lead to the hirer's own form. */
  seekApplicationQuestionnaireId?: string | null | undefined;
  /** Stands on the invoice; 40 characters at most. */
  seekBillingReference?: string | null | undefined;
  /** 40 characters at most. */
  seekHirerJobReference?: string | null | undefined;
  /** 1,000 characters at most. */
  seekPartnerMetadata?: string | null | undefined;
  seekVideo?: SeekVideoInput | null | undefined;
};

/** An ad. */
export type PostPosition_PositionProfileInput = {
  /** Exactly one, without children. */
  jobCategories: Array<string>;
  offeredRemunerationPackage: RemunerationPackageInput;
  positionFormattedDescriptions: Array<PositionFormattedDescriptionInput>;
  /** Exactly one. */
  positionLocation: Array<string>;
  /** Exactly one: the hirer of the opening. */
  positionOrganizations: Array<string>;
  /** Left out for an ad, which has `seekAnzWorkTypeCode`. */
  positionScheduleTypeCodes?: Array<string> | null | undefined;
  /** 80 characters at most. */
  positionTitle: string;
  /** Exactly one. */
  postingInstructions: Array<CreatePostingInstructionInput>;
  /** `Casual`, `ContractTemp`, `FullTime` or `PartTime`; required. */
  seekAnzWorkTypeCode?: string | null | undefined;
  /** A questionnaire of the hirer. Not for ads that lead to the hirer's own form. */
  seekApplicationQuestionnaireId?: string | null | undefined;
  /** Stands on the invoice; 40 characters at most. */
  seekBillingReference?: string | null | undefined;
  /** 40 characters at most. */
  seekHirerJobReference?: string | null | undefined;
  /** 1,000 characters at most. */
  seekPartnerMetadata?: string | null | undefined;
  seekVideo?: SeekVideoInput | null | undefined;
};

export type PostingRequesterInput = {
  /** The hirer that owns the opening. */
  id: string;
  /** From 1 to 10, each with a name, an e-mail address and a role. */
  personContacts: Array<SpecifiedPersonInput>;
  /** Always `Company`. */
  roleCode: string;
};

export type UpdatePostedPositionProfileInput = {
  positionProfile: UpdatePostedPositionProfile_PositionProfileInput;
};

/** An ad as it is to be from now on. */
export type UpdatePostedPositionProfile_PositionProfileInput = {
  profileId: string;
  /** Exactly one, without children. */
  jobCategories: Array<string>;
  offeredRemunerationPackage: RemunerationPackageInput;
  positionFormattedDescriptions: Array<PositionFormattedDescriptionInput>;
  /** Exactly one. */
  positionLocation: Array<string>;
  /** Exactly one: the hirer of the opening. */
  positionOrganizations: Array<string>;
  /** Left out for an ad, which has `seekAnzWorkTypeCode`. */
  positionScheduleTypeCodes?: Array<string> | null | undefined;
  /** 80 characters at most. */
  positionTitle: string;
  /** Exactly one. */
  postingInstructions: Array<UpdatePostingInstructionInput>;
  /** `Casual`, `ContractTemp`, `FullTime` or `PartTime`; required. */
  seekAnzWorkTypeCode?: string | null | undefined;
  /** Must be left out: the questionnaire of a live ad cannot change. */
  seekApplicationQuestionnaireId?: string | null | undefined;
  /** Stands on the invoice; 40 characters at most. */
  seekBillingReference?: string | null | undefined;
  /** 40 characters at most. */
  seekHirerJobReference?: string | null | undefined;
  /** 1,000 characters at most. */
  seekPartnerMetadata?: string | null | undefined;
  seekVideo?: SeekVideoInput | null | undefined;
};

export type UpdatePostingInstructionInput = {
  /** Only for an ad that already leads to the hirer's own form. */
  applicationMethods?: Array<ApplicationMethodInput> | null | undefined;
  /** A branding of the hirer. Ignored if the product has no branding. */
  brandingId?: string | null | undefined;
  /** 30 days from the posting at most. The end stays as it is if this is left out. */
  end?: string | null | undefined;
  /** One of `advertisementProducts`. This or `seekAnzAdvertisementType` is required. */
  seekAdvertisementProductId?: string | null | undefined;
  /** `Classic`, `StandOut` or `Premium`. */
  seekAnzAdvertisementType?: string | null | undefined;
};

export type CandidateProcessActionInput = {
  /** `ViewProfile` for an action of a profile. For a step: `AgencySubmission`, `CandidateWorkflowTransition`, `Document`, `Email`, `Note`, `Other`, `PhoneCall`, `PostPlacementActivity`, `Screening`, `StatusChange` or `VerificationActivity`. */
  code: string;
  /** Required for a step; 1,000 characters at most. */
  description?: string | null | undefined;
  /** Required for a step. */
  name?: string | null | undefined;
  /** Required for an action of a profile; 1,000 characters at most. */
  seekUrl?: WebUrlInput | null | undefined;
};

export type CandidateProcessHistoryItem_PositionProfileInput = {
  profileId: string;
};

export type CandidateProcessPartyInput = {
  organization?: OrganizationInput | null | undefined;
  person?: SpecifiedPersonInput | null | undefined;
};

export type CandidateProcessStatusInput = {
  /** `AgencyShortlist`, `AgencySubmission`, `Application`, `HirerShortlist`, `Interview`, `Offer`, `ReferenceCheck`, `Successful`, `TestingOrQualificationsCheck` or `Unsuccessful`. */
  code: string;
};

export type CreateCandidateProcessHistoryItemInput = {
  candidateProcessHistoryItem: CreateCandidateProcessHistoryItem_CandidateProcessHistoryItemInput;
  candidateProfile: CreateCandidateProcessHistoryItem_CandidateProfileInput;
};

export type CreateCandidateProcessHistoryItem_CandidateProcessHistoryItemInput = {
  action: CandidateProcessActionInput;
  actionDate: string;
  /** Unique for each step of the profile. Send the same one when trying again. */
  idempotencyId: string;
  positionProfile?: CandidateProcessHistoryItem_PositionProfileInput | null | undefined;
  /** From 1 to 10. */
  primaryParties: Array<CandidateProcessPartyInput>;
  /** Required with `positionProfile`. */
  seekSource?: SeekProcessHistoryItemSourceInput | null | undefined;
  status?: CandidateProcessStatusInput | null | undefined;
};

export type CreateCandidateProcessHistoryItem_CandidateProfileInput = {
  profileId: string;
};

export type SeekProcessHistoryItemSourceInput = {
  name: string;
};

export type AdvertisementProductsQueryVariables = Exact<{
  positionProfile: AdvertisementProducts_PositionProfileInput;
  selectedAdvertisementProductId?: string | null | undefined;
  limit?: number | null | undefined;
}>;


export type AdvertisementProductsQuery = { advertisementProducts: { information: string | null, products: Array<{ label: string, description: string | null, selected: boolean, id: { value: string }, sellingPoints: Array<{ text: string }>, price: { summary: string } | null, payment: { summary: string, summaryHtml: string } | null, features: { branding: { coverImageIndicator: boolean, logoIndicator: boolean } | null, searchBulletPoints: { limit: number } | null } }> } };

export type ApplicationLibraryQuestionSuggestionsQueryVariables = Exact<{
  schemeId: string;
  positionProfile: ApplicationLibraryQuestionSuggestions_PositionProfileInput;
  first?: number | null | undefined;
}>;


export type ApplicationLibraryQuestionSuggestionsQuery = { applicationLibraryQuestionSuggestions: Array<{ id: { value: string }, applicationLibraryQuestion: { text: string, responseTypeCode: string, id: { value: string }, responseChoice: Array<{ text: string, id: { value: string } }> | null, preferenceSelection: { typeCode: string, message: string } } }> };

export type ApplicationQueryVariables = Exact<{
  id: string;
}>;


export type ApplicationQuery = { candidateProfile: { createDateTime: string, updateDateTime: string, profileId: { value: string }, candidate: { documentId: { value: string }, person: { name: { formattedName: string, given: string | null, family: string | null }, communication: { email: Array<{ address: string }>, phone: Array<{ formattedNumber: string }>, address: Array<{ formattedAddress: string | null, countryCode: string | null, postalCode: string | null }> } } }, associatedPositionProfile:
      | { positionTitle: string, profileId: { value: string }, positionOrganizations: Array<{ id: { value: string } }> }
      | { positionTitle: string, profileId: { value: string }, positionOrganizations: Array<{ id: { value: string } }> }
     | null, attachments: Array<{ descriptions: Array<string>, seekRoleCode: string | null, url: string, id: { value: string } }>, employment: Array<{ organization: { name: string }, positionHistories: Array<{ title: string, start: string, end: string | null, current: boolean | null, descriptions: Array<string> }> }>, education: Array<{ descriptions: Array<string>, institution: { name: string }, educationDegrees: Array<{ name: string, date: string | null, degreeGrantedStatus: string }> }>, certifications: Array<{ name: string, issued: string | null, descriptions: Array<string>, issuingAuthority: { name: string } | null }>, qualifications: Array<{ competencyName: string }>, seekQuestionnaireSubmission: { score: number | null, responses: Array<
        | { __typename: 'ApplicationPrivacyConsentResponse', consentGivenIndicator: boolean, componentTypeCode: string }
        | { __typename: 'ApplicationQuestionResponse', score: number | null, componentTypeCode: string, component: { questionHtml: string, id: { value: string } }, answers: Array<{ answer: string, choice: { id: { value: string } } | null }> }
      > } | null } | null };

export type CandidateProcessHistoryQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type CandidateProcessHistoryQuery = { candidateProfile: { associatedPositionProfile:
      | { positionOrganizations: Array<{ id: { value: string } }> }
      | { positionOrganizations: Array<{ id: { value: string } }> }
     | null, candidate: { profiles: Array<{ associatedPositionProfile:
          | { positionOrganizations: Array<{ id: { value: string } }> }
          | { positionOrganizations: Array<{ id: { value: string } }> }
         | null }> }, proof: { edges: Array<{ node: { positionProfile:
            | { positionOrganizations: Array<{ id: { value: string } }> }
            | { positionOrganizations: Array<{ id: { value: string } }> }
           | null } }> } | null, seekProcessHistory: { edges: Array<{ cursor: string, node: { actionDate: string, id: { value: string }, action: { code: string, name: string | null, description: string | null, seekUrl: { url: string } | null }, status: { code: string } | null, seekSource: { name: string } | null, positionProfile:
            | { positionTitle: string, profileId: { value: string }, positionOrganizations: Array<{ id: { value: string } }> }
            | { positionTitle: string, profileId: { value: string }, positionOrganizations: Array<{ id: { value: string } }> }
           | null, primaryParties: Array<{ organization: { name: string } | null, person: { roleCode: string | null, name: { formattedName: string } } | null }> } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } | null } | null };

export type CandidateQueryVariables = Exact<{
  id: string;
}>;


export type CandidateQuery = { candidate: { seekPrimaryEmailAddress: string | null, documentId: { value: string }, person: { name: { formattedName: string, given: string | null, family: string | null }, communication: { email: Array<{ address: string }>, phone: Array<{ formattedNumber: string }>, address: Array<{ formattedAddress: string | null, countryCode: string | null, postalCode: string | null }> } }, profiles: Array<{ createDateTime: string, profileId: { value: string }, candidateSources: Array<{ type: string, name: string }>, associatedPositionProfile:
        | { positionTitle: string, profileId: { value: string }, positionOrganizations: Array<{ id: { value: string } }> }
        | { positionTitle: string, profileId: { value: string }, positionOrganizations: Array<{ id: { value: string } }> }
       | null, seekProcessHistory: { edges: Array<{ node: { positionProfile:
              | { positionOrganizations: Array<{ id: { value: string } }> }
              | { positionOrganizations: Array<{ id: { value: string } }> }
             | null } }> } | null }> } | null };

export type ClosePositionProfileMutationVariables = Exact<{
  input: ClosePostedPositionProfileInput;
}>;


export type ClosePositionProfileMutation = { closePostedPositionProfile: { positionProfile: { profileId: { value: string } } } | null };

export type CreateApplicationQuestionnaireMutationVariables = Exact<{
  input: CreateApplicationQuestionnaireInput;
}>;


export type CreateApplicationQuestionnaireMutation = { createApplicationQuestionnaire: { applicationQuestionnaire: { id: { value: string }, components: Array<
        | { componentTypeCode: string, value: string | null, id: { value: string } }
        | { componentTypeCode: string, value: string | null, id: { value: string } }
      > } } };

export type HirerQueryVariables = Exact<{
  hirerId?: string;
}>;


export type HirerQuery = { hiringOrganization: { name: string, id: { value: string }, seekApiCapabilities: { applicationMethodCodes: Array<string>, relationshipTypeCodes: Array<string> } | null } | null };

export type JobCategoriesQueryVariables = Exact<{
  schemeId: string;
  positionProfile?: JobCategories_PositionProfileInput | null | undefined;
}>;


export type JobCategoriesQuery = { jobCategories: Array<{ name: string, id: { value: string }, children: Array<{ name: string, id: { value: string } }> | null }> };

export type JobCategorySuggestionsQueryVariables = Exact<{
  schemeId: string;
  positionProfile: JobCategorySuggestionPositionProfileInput;
  first?: number | null | undefined;
}>;


export type JobCategorySuggestionsQuery = { jobCategorySuggestions: Array<{ confidence: number, jobCategory: { name: string, id: { value: string }, parent: { name: string, id: { value: string } } | null } }> };

export type PayTypesQueryVariables = Exact<{
  schemeId: string;
}>;


export type PayTypesQuery = { payTypes: Array<{ basisCode: string, intervalCode: string, label: string }> };

export type PositionOpeningsQueryVariables = Exact<{
  hirerId?: string;
  filter?: PositionOpeningsFilterInput | null | undefined;
  after?: string | null | undefined;
  first?: number | null | undefined;
}>;


export type PositionOpeningsQuery = { positionOpenings: { edges: Array<{ cursor: string, node: { statusCode: string, documentId: { value: string }, paginatedPositionProfiles: { edges: Array<{ node:
              | { positionTitle: string, postingInstructions: Array<{ start: string, end: string }>, profileId: { value: string }, positionLocation: Array<{ contextualName: string }> }
              | { positionTitle: string, profileId: { value: string }, positionLocation: Array<{ contextualName: string }> }
             }> } } }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type PositionProfilePreviewQueryVariables = Exact<{
  positionProfile: PostedPositionProfilePreview_PositionProfileInput;
}>;


export type PositionProfilePreviewQuery = { postedPositionProfilePreview: { previewUri: { url: string } } };

export type PositionProfileQueryVariables = Exact<{
  id: string;
}>;


export type PositionProfileQuery = { positionProfile:
    | { __typename: 'PostedPositionProfile', positionUri: string, positionTitle: string, seekHirerJobReference: string | null, seekBillingReference: string | null, seekAnzWorkTypeCode: string | null, seekVideo: { url: string, seekAnzPositionCode: string } | null, seekApplicationQuestionnaire: { id: { value: string } } | null, postingInstructions: Array<{ start: string, end: string, brandingId: string | null, seekAnzAdvertisementType: string | null, seekAdvertisementProduct: { label: string } | null, applicationMethods: Array<{ applicationUri: { url: string } | null }> }>, profileId: { value: string }, positionOpening: { documentId: { value: string } }, positionOrganizations: Array<{ name: string, id: { value: string } }>, positionLocation: Array<{ contextualName: string, id: { value: string } }>, jobCategories: Array<{ name: string, id: { value: string } }>, positionFormattedDescriptions: Array<{ content: string, descriptionId: { value: string } }>, offeredRemunerationPackage: { basisCode: string, descriptions: Array<string>, ranges: Array<{ intervalCode: string, minimumAmount: { currency: string, value: number }, maximumAmount: { currency: string, value: number } | null }> } }
    | { __typename: 'UnpostedPositionProfile', profileName: string | null, positionTitle: string, seekHirerJobReference: string | null, seekBillingReference: string | null, seekAnzWorkTypeCode: string | null, profileId: { value: string }, positionOpening: { documentId: { value: string } }, positionOrganizations: Array<{ name: string, id: { value: string } }>, positionLocation: Array<{ contextualName: string, id: { value: string } }>, jobCategories: Array<{ name: string, id: { value: string } }>, positionFormattedDescriptions: Array<{ content: string, descriptionId: { value: string } }>, offeredRemunerationPackage: { basisCode: string, descriptions: Array<string>, ranges: Array<{ intervalCode: string, minimumAmount: { currency: string, value: number }, maximumAmount: { currency: string, value: number } | null }> } }
   | null };

export type PostPositionProfileMutationVariables = Exact<{
  input: PostPositionProfileForOpeningInput;
}>;


export type PostPositionProfileMutation = { postPositionProfileForOpening:
    | { __typename: 'PostPositionProfileForOpeningPayload_Success', positionProfile: { profileId: { value: string } } }
    | { __typename: 'PostPositionProfileForOpeningPayload_Conflict', conflictingPositionProfile: { profileId: { value: string } } }
   };

export type PostPositionMutationVariables = Exact<{
  input: PostPositionInput;
}>;


export type PostPositionMutation = { postPosition:
    | { __typename: 'PostPositionPayload_Success', positionOpening: { documentId: { value: string } }, positionProfile: { profileId: { value: string } } }
    | { __typename: 'PostPositionPayload_Conflict', conflictingPositionOpening: { documentId: { value: string } }, conflictingPositionProfile: { profileId: { value: string } } }
   };

export type RecordApplicationStepMutationVariables = Exact<{
  input: CreateCandidateProcessHistoryItemInput;
}>;


export type RecordApplicationStepMutation = { createCandidateProcessHistoryItem:
    | { __typename: 'CreateCandidateProcessHistoryItemPayload_Success', candidateProcessHistoryItem: { actionDate: string, id: { value: string }, status: { code: string } | null } }
    | { __typename: 'CreateCandidateProcessHistoryItemPayload_Conflict', conflictingCandidateProcessHistoryItem: { id: { value: string } } }
   };

export type UpdatePositionProfileMutationVariables = Exact<{
  input: UpdatePostedPositionProfileInput;
}>;


export type UpdatePositionProfileMutation = { updatePostedPositionProfile: { positionProfile: { profileId: { value: string } } } | null };


export const AdvertisementProductsDocument = {"documentId":"AdvertisementProducts","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"AdvertisementProducts"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"positionProfile"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AdvertisementProducts_PositionProfileInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"selectedAdvertisementProductId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"advertisementProducts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"positionProfile"},"value":{"kind":"Variable","name":{"kind":"Name","value":"positionProfile"}}},{"kind":"Argument","name":{"kind":"Name","value":"selectedAdvertisementProductId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"selectedAdvertisementProductId"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"information"}},{"kind":"Field","name":{"kind":"Name","value":"products"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"selected"}},{"kind":"Field","name":{"kind":"Name","value":"sellingPoints"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"text"}}]}},{"kind":"Field","name":{"kind":"Name","value":"price"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"summary"}}]}},{"kind":"Field","name":{"kind":"Name","value":"payment"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"summaryHtml"}}]}},{"kind":"Field","name":{"kind":"Name","value":"features"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"branding"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"coverImageIndicator"}},{"kind":"Field","name":{"kind":"Name","value":"logoIndicator"}}]}},{"kind":"Field","name":{"kind":"Name","value":"searchBulletPoints"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"limit"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<AdvertisementProductsQuery, AdvertisementProductsQueryVariables> & { documentId: string };
export const ApplicationLibraryQuestionSuggestionsDocument = {"documentId":"ApplicationLibraryQuestionSuggestions","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ApplicationLibraryQuestionSuggestions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"schemeId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"positionProfile"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ApplicationLibraryQuestionSuggestions_PositionProfileInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"applicationLibraryQuestionSuggestions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"schemeId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"schemeId"}}},{"kind":"Argument","name":{"kind":"Name","value":"positionProfile"},"value":{"kind":"Variable","name":{"kind":"Name","value":"positionProfile"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"applicationLibraryQuestion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"text"}},{"kind":"Field","name":{"kind":"Name","value":"responseTypeCode"}},{"kind":"Field","name":{"kind":"Name","value":"responseChoice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"text"}}]}},{"kind":"Field","name":{"kind":"Name","value":"preferenceSelection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"typeCode"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ApplicationLibraryQuestionSuggestionsQuery, ApplicationLibraryQuestionSuggestionsQueryVariables> & { documentId: string };
export const ApplicationDocument = {"documentId":"Application","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Application"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"candidateProfile"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"createDateTime"}},{"kind":"Field","name":{"kind":"Name","value":"updateDateTime"}},{"kind":"Field","name":{"kind":"Name","value":"candidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"documentId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"person"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"formattedName"}},{"kind":"Field","name":{"kind":"Name","value":"given"}},{"kind":"Field","name":{"kind":"Name","value":"family"}}]}},{"kind":"Field","name":{"kind":"Name","value":"communication"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}},{"kind":"Field","name":{"kind":"Name","value":"phone"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"formattedNumber"}}]}},{"kind":"Field","name":{"kind":"Name","value":"address"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"formattedAddress"}},{"kind":"Field","name":{"kind":"Name","value":"countryCode"}},{"kind":"Field","name":{"kind":"Name","value":"postalCode"}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"associatedPositionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"positionTitle"}},{"kind":"Field","name":{"kind":"Name","value":"positionOrganizations"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"attachments"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"descriptions"}},{"kind":"Field","name":{"kind":"Name","value":"seekRoleCode"}},{"kind":"Field","name":{"kind":"Name","value":"url"}}]}},{"kind":"Field","name":{"kind":"Name","value":"employment"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"organization"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"positionHistories"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"end"}},{"kind":"Field","name":{"kind":"Name","value":"current"}},{"kind":"Field","name":{"kind":"Name","value":"descriptions"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"education"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"institution"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"educationDegrees"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"degreeGrantedStatus"}}]}},{"kind":"Field","name":{"kind":"Name","value":"descriptions"}}]}},{"kind":"Field","name":{"kind":"Name","value":"certifications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"issued"}},{"kind":"Field","name":{"kind":"Name","value":"issuingAuthority"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"descriptions"}}]}},{"kind":"Field","name":{"kind":"Name","value":"qualifications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"competencyName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"seekQuestionnaireSubmission"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"score"}},{"kind":"Field","name":{"kind":"Name","value":"responses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"componentTypeCode"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ApplicationQuestionResponse"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"component"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"questionHtml"}}]}},{"kind":"Field","name":{"kind":"Name","value":"answers"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"answer"}},{"kind":"Field","name":{"kind":"Name","value":"choice"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"score"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ApplicationPrivacyConsentResponse"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"consentGivenIndicator"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<ApplicationQuery, ApplicationQueryVariables> & { documentId: string };
export const CandidateProcessHistoryDocument = {"documentId":"CandidateProcessHistory","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CandidateProcessHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"candidateProfile"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"associatedPositionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionOrganizations"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"candidate"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profiles"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"associatedPositionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionOrganizations"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]}}]}},{"kind":"Field","alias":{"kind":"Name","value":"proof"},"name":{"kind":"Name","value":"seekProcessHistory"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionOrganizations"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"seekProcessHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"actionDate"}},{"kind":"Field","name":{"kind":"Name","value":"action"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"seekUrl"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"status"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}}]}},{"kind":"Field","name":{"kind":"Name","value":"seekSource"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"positionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"positionTitle"}},{"kind":"Field","name":{"kind":"Name","value":"positionOrganizations"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"primaryParties"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"organization"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"person"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"formattedName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"roleCode"}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]} as unknown as DocumentNode<CandidateProcessHistoryQuery, CandidateProcessHistoryQueryVariables> & { documentId: string };
export const CandidateDocument = {"documentId":"Candidate","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Candidate"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"candidate"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"documentId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"person"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"formattedName"}},{"kind":"Field","name":{"kind":"Name","value":"given"}},{"kind":"Field","name":{"kind":"Name","value":"family"}}]}},{"kind":"Field","name":{"kind":"Name","value":"communication"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}},{"kind":"Field","name":{"kind":"Name","value":"phone"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"formattedNumber"}}]}},{"kind":"Field","name":{"kind":"Name","value":"address"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"formattedAddress"}},{"kind":"Field","name":{"kind":"Name","value":"countryCode"}},{"kind":"Field","name":{"kind":"Name","value":"postalCode"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"seekPrimaryEmailAddress"}},{"kind":"Field","name":{"kind":"Name","value":"profiles"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"createDateTime"}},{"kind":"Field","name":{"kind":"Name","value":"candidateSources"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"associatedPositionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"positionTitle"}},{"kind":"Field","name":{"kind":"Name","value":"positionOrganizations"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"seekProcessHistory"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionOrganizations"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<CandidateQuery, CandidateQueryVariables> & { documentId: string };
export const ClosePositionProfileDocument = {"documentId":"ClosePositionProfile","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ClosePositionProfile"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ClosePostedPositionProfileInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"closePostedPositionProfile"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ClosePositionProfileMutation, ClosePositionProfileMutationVariables> & { documentId: string };
export const CreateApplicationQuestionnaireDocument = {"documentId":"CreateApplicationQuestionnaire","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateApplicationQuestionnaire"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateApplicationQuestionnaireInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createApplicationQuestionnaire"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"applicationQuestionnaire"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"components"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"componentTypeCode"}},{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]}}]} as unknown as DocumentNode<CreateApplicationQuestionnaireMutation, CreateApplicationQuestionnaireMutationVariables> & { documentId: string };
export const HirerDocument = {"documentId":"Hirer","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Hirer"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"hirerId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},"defaultValue":{"kind":"StringValue","value":"","block":false}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hiringOrganization"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"hirerId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"seekApiCapabilities"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"applicationMethodCodes"}},{"kind":"Field","name":{"kind":"Name","value":"relationshipTypeCodes"}}]}}]}}]}}]} as unknown as DocumentNode<HirerQuery, HirerQueryVariables> & { documentId: string };
export const JobCategoriesDocument = {"documentId":"JobCategories","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"JobCategories"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"schemeId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"positionProfile"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"JobCategories_PositionProfileInput"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"jobCategories"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"schemeId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"schemeId"}}},{"kind":"Argument","name":{"kind":"Name","value":"positionProfile"},"value":{"kind":"Variable","name":{"kind":"Name","value":"positionProfile"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"children"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<JobCategoriesQuery, JobCategoriesQueryVariables> & { documentId: string };
export const JobCategorySuggestionsDocument = {"documentId":"JobCategorySuggestions","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"JobCategorySuggestions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"schemeId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"positionProfile"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"JobCategorySuggestionPositionProfileInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"jobCategorySuggestions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"schemeId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"schemeId"}}},{"kind":"Argument","name":{"kind":"Name","value":"positionProfile"},"value":{"kind":"Variable","name":{"kind":"Name","value":"positionProfile"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"confidence"}},{"kind":"Field","name":{"kind":"Name","value":"jobCategory"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"parent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]} as unknown as DocumentNode<JobCategorySuggestionsQuery, JobCategorySuggestionsQueryVariables> & { documentId: string };
export const PayTypesDocument = {"documentId":"PayTypes","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PayTypes"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"schemeId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"payTypes"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"schemeId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"schemeId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"basisCode"}},{"kind":"Field","name":{"kind":"Name","value":"intervalCode"}},{"kind":"Field","name":{"kind":"Name","value":"label"}}]}}]}}]} as unknown as DocumentNode<PayTypesQuery, PayTypesQueryVariables> & { documentId: string };
export const PositionOpeningsDocument = {"documentId":"PositionOpenings","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PositionOpenings"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"hirerId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},"defaultValue":{"kind":"StringValue","value":"","block":false}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"PositionOpeningsFilterInput"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionOpenings"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"hirerId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"hirerId"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"documentId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"statusCode"}},{"kind":"Field","name":{"kind":"Name","value":"paginatedPositionProfiles"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"positionTitle"}},{"kind":"Field","name":{"kind":"Name","value":"positionLocation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"contextualName"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PostedPositionProfile"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"postingInstructions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"end"}}]}}]}}]}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]} as unknown as DocumentNode<PositionOpeningsQuery, PositionOpeningsQueryVariables> & { documentId: string };
export const PositionProfilePreviewDocument = {"documentId":"PositionProfilePreview","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PositionProfilePreview"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"positionProfile"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PostedPositionProfilePreview_PositionProfileInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"postedPositionProfilePreview"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"positionProfile"},"value":{"kind":"Variable","name":{"kind":"Name","value":"positionProfile"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"previewUri"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]}}]} as unknown as DocumentNode<PositionProfilePreviewQuery, PositionProfilePreviewQueryVariables> & { documentId: string };
export const PositionProfileDocument = {"documentId":"PositionProfile","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PositionProfile"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionProfile"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"positionTitle"}},{"kind":"Field","name":{"kind":"Name","value":"positionOpening"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"documentId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"positionOrganizations"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"positionLocation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"contextualName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"jobCategories"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"positionFormattedDescriptions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"descriptionId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"content"}}]}},{"kind":"Field","name":{"kind":"Name","value":"seekHirerJobReference"}},{"kind":"Field","name":{"kind":"Name","value":"seekBillingReference"}},{"kind":"Field","name":{"kind":"Name","value":"seekAnzWorkTypeCode"}},{"kind":"Field","name":{"kind":"Name","value":"offeredRemunerationPackage"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"basisCode"}},{"kind":"Field","name":{"kind":"Name","value":"descriptions"}},{"kind":"Field","name":{"kind":"Name","value":"ranges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"intervalCode"}},{"kind":"Field","name":{"kind":"Name","value":"minimumAmount"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"maximumAmount"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PostedPositionProfile"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionUri"}},{"kind":"Field","name":{"kind":"Name","value":"seekVideo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"seekAnzPositionCode"}}]}},{"kind":"Field","name":{"kind":"Name","value":"seekApplicationQuestionnaire"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"postingInstructions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"end"}},{"kind":"Field","name":{"kind":"Name","value":"brandingId"}},{"kind":"Field","name":{"kind":"Name","value":"seekAnzAdvertisementType"}},{"kind":"Field","name":{"kind":"Name","value":"seekAdvertisementProduct"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"label"}}]}},{"kind":"Field","name":{"kind":"Name","value":"applicationMethods"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"applicationUri"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"url"}}]}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UnpostedPositionProfile"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileName"}}]}}]}}]}}]} as unknown as DocumentNode<PositionProfileQuery, PositionProfileQueryVariables> & { documentId: string };
export const PostPositionProfileDocument = {"documentId":"PostPositionProfile","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PostPositionProfile"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PostPositionProfileForOpeningInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"postPositionProfileForOpening"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PostPositionProfileForOpeningPayload_Success"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PostPositionProfileForOpeningPayload_Conflict"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conflictingPositionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<PostPositionProfileMutation, PostPositionProfileMutationVariables> & { documentId: string };
export const PostPositionDocument = {"documentId":"PostPosition","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PostPosition"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PostPositionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"postPosition"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PostPositionPayload_Success"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionOpening"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"documentId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"positionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PostPositionPayload_Conflict"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conflictingPositionOpening"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"documentId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"conflictingPositionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<PostPositionMutation, PostPositionMutationVariables> & { documentId: string };
export const RecordApplicationStepDocument = {"documentId":"RecordApplicationStep","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RecordApplicationStep"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCandidateProcessHistoryItemInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createCandidateProcessHistoryItem"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCandidateProcessHistoryItemPayload_Success"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"candidateProcessHistoryItem"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"actionDate"}},{"kind":"Field","name":{"kind":"Name","value":"status"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateCandidateProcessHistoryItemPayload_Conflict"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conflictingCandidateProcessHistoryItem"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<RecordApplicationStepMutation, RecordApplicationStepMutationVariables> & { documentId: string };
export const UpdatePositionProfileDocument = {"documentId":"UpdatePositionProfile","kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdatePositionProfile"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdatePostedPositionProfileInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updatePostedPositionProfile"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionProfile"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"profileId"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}}]}}]}}]} as unknown as DocumentNode<UpdatePositionProfileMutation, UpdatePositionProfileMutationVariables> & { documentId: string };