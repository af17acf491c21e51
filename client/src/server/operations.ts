// Written by "npm run docs".
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type DeliveredApplicationQueryVariables = Exact<{
  id: string;
}>;


export type DeliveredApplicationQuery = { candidateProfile: { createDateTime: string, updateDateTime: string, profileId: { value: string }, candidate: { documentId: { value: string }, person: { name: { formattedName: string, given: string | null, family: string | null }, communication: { email: Array<{ address: string }>, phone: Array<{ formattedNumber: string }>, address: Array<{ formattedAddress: string | null, countryCode: string | null, postalCode: string | null }> } } }, associatedPositionProfile:
      | { positionTitle: string, profileId: { value: string }, positionOrganizations: Array<{ id: { value: string } }> }
      | { positionTitle: string, profileId: { value: string }, positionOrganizations: Array<{ id: { value: string } }> }
     | null, attachments: Array<{ descriptions: Array<string>, seekRoleCode: string | null, url: string, id: { value: string } }>, employment: Array<{ organization: { name: string }, positionHistories: Array<{ title: string, start: string, end: string | null, current: boolean | null, descriptions: Array<string> }> }>, education: Array<{ descriptions: Array<string>, institution: { name: string }, educationDegrees: Array<{ name: string, date: string | null, degreeGrantedStatus: string }> }>, certifications: Array<{ name: string, issued: string | null, descriptions: Array<string>, issuingAuthority: { name: string } | null }>, qualifications: Array<{ competencyName: string }>, seekQuestionnaireSubmission: { score: number | null, responses: Array<
        | { __typename: 'ApplicationPrivacyConsentResponse', consentGivenIndicator: boolean, componentTypeCode: string }
        | { __typename: 'ApplicationQuestionResponse', score: number | null, componentTypeCode: string, component: { questionHtml: string, id: { value: string } }, answers: Array<{ answer: string, choice: { id: { value: string } } | null }> }
      > } | null } | null };

export type DeliveredHirerQueryVariables = Exact<{
  hirerId?: string;
}>;


export type DeliveredHirerQuery = { hiringOrganization: { name: string, id: { value: string }, seekApiCapabilities: { applicationMethodCodes: Array<string>, relationshipTypeCodes: Array<string> } | null } | null };

export type DeliveredPositionProfileQueryVariables = Exact<{
  id: string;
}>;


export type DeliveredPositionProfileQuery = { positionProfile:
    | { __typename: 'PostedPositionProfile', positionUri: string, positionTitle: string, seekHirerJobReference: string | null, seekBillingReference: string | null, seekAnzWorkTypeCode: string | null, seekApplicationQuestionnaire: { id: { value: string } } | null, postingInstructions: Array<{ start: string, end: string, brandingId: string | null, seekAdvertisementProduct: { label: string } | null, applicationMethods: Array<{ applicationUri: { url: string } | null }> }>, profileId: { value: string }, positionOpening: { documentId: { value: string } }, positionOrganizations: Array<{ name: string, id: { value: string } }>, positionLocation: Array<{ contextualName: string, id: { value: string } }>, jobCategories: Array<{ name: string, id: { value: string } }>, positionFormattedDescriptions: Array<{ content: string, descriptionId: { value: string } }>, offeredRemunerationPackage: { basisCode: string, descriptions: Array<string>, ranges: Array<{ intervalCode: string, minimumAmount: { currency: string, value: number }, maximumAmount: { currency: string, value: number } | null }> } }
    | { __typename: 'UnpostedPositionProfile', profileName: string | null, positionTitle: string, seekHirerJobReference: string | null, seekBillingReference: string | null, seekAnzWorkTypeCode: string | null, profileId: { value: string }, positionOpening: { documentId: { value: string } }, positionOrganizations: Array<{ name: string, id: { value: string } }>, positionLocation: Array<{ contextualName: string, id: { value: string } }>, jobCategories: Array<{ name: string, id: { value: string } }>, positionFormattedDescriptions: Array<{ content: string, descriptionId: { value: string } }>, offeredRemunerationPackage: { basisCode: string, descriptions: Array<string>, ranges: Array<{ intervalCode: string, minimumAmount: { currency: string, value: number }, maximumAmount: { currency: string, value: number } | null }> } }
   | null };

export type DeliveredPurchasedProfileQueryVariables = Exact<{
  id: string;
}>;


export type DeliveredPurchasedProfileQuery = { event:
    | { __typename: 'CandidateApplicationCreatedEvent', createDateTime: string, id: { value: string } }
    | { __typename: 'CandidateProfilePurchasedEvent', createDateTime: string, candidateProfile: { profileId: { value: string }, candidate: { documentId: { value: string }, person: { name: { formattedName: string, given: string | null, family: string | null }, communication: { email: Array<{ address: string }>, phone: Array<{ formattedNumber: string }>, address: Array<{ formattedAddress: string | null, countryCode: string | null, postalCode: string | null }> } } }, associatedPositionProfile:
          | { positionTitle: string, profileId: { value: string }, positionOrganizations: Array<{ id: { value: string } }> }
          | { positionTitle: string, profileId: { value: string }, positionOrganizations: Array<{ id: { value: string } }> }
         | null, attachments: Array<{ descriptions: Array<string>, seekRoleCode: string | null, url: string, id: { value: string } }>, employment: Array<{ organization: { name: string }, positionHistories: Array<{ title: string, start: string, end: string | null, current: boolean | null, descriptions: Array<string> }> }>, education: Array<{ descriptions: Array<string>, institution: { name: string }, educationDegrees: Array<{ name: string, date: string | null, degreeGrantedStatus: string }> }>, certifications: Array<{ name: string, issued: string | null, descriptions: Array<string>, issuingAuthority: { name: string } | null }>, qualifications: Array<{ competencyName: string }> } | null, id: { value: string } }
    | { __typename: 'HirerRelationshipChangedEvent', createDateTime: string, id: { value: string } }
    | { __typename: 'PositionProfileClosedEvent', createDateTime: string, id: { value: string } }
    | { __typename: 'PositionProfilePostedEvent', createDateTime: string, id: { value: string } }
    | { __typename: 'PositionProfileUpdatedEvent', createDateTime: string, id: { value: string } }
    | { __typename: 'PositionNotPostedEvent', createDateTime: string, id: { value: string } }
   | null };

export type DeliveredUnpostedAdQueryVariables = Exact<{
  id: string;
}>;


export type DeliveredUnpostedAdQuery = { event:
    | { __typename: 'CandidateApplicationCreatedEvent', typeCode: string, createDateTime: string, id: { value: string } }
    | { __typename: 'CandidateProfilePurchasedEvent', typeCode: string, createDateTime: string, id: { value: string } }
    | { __typename: 'HirerRelationshipChangedEvent', hirerId: string, typeCode: string, createDateTime: string, id: { value: string } }
    | { __typename: 'PositionProfileClosedEvent', typeCode: string, createDateTime: string, id: { value: string } }
    | { __typename: 'PositionProfilePostedEvent', typeCode: string, createDateTime: string, id: { value: string } }
    | { __typename: 'PositionProfileUpdatedEvent', typeCode: string, createDateTime: string, id: { value: string } }
    | { __typename: 'PositionNotPostedEvent', typeCode: string, createDateTime: string, id: { value: string } }
   | null };
