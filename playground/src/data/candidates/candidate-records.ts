import type { Address, Person } from './people.js';
import type { Contact } from '../positions/position-records.js';
import type { Submission } from '../questionnaires/questionnaire-records.js';

/** A person whom one hirer knows: by an application, a purchase or an upload. */
export interface Candidate {
  readonly id: string;
  readonly hirerId: string;
  person: Person;
  /** The newest last. */
  readonly profileIds: string[];
  readonly isUploaded: boolean;
  /** Uploaded candidates only. */
  seekPrimaryEmailAddress: string | null;
  readonly distributionGuidelines: { readonly seekProductCodes: readonly string[] };
  isDeleted: boolean;
}

/** An action that was taken, or that a link offers; as the schema has it. */
export interface ProcessAction {
  readonly code: string;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly seekUrl?: { readonly url: string } | null;
}

/** The party that took a step: a person, an organization, or a person on behalf of one; as the schema has it. */
export interface ProcessParty {
  readonly person?: Contact | null;
  readonly organization?: { readonly name: string } | null;
}

/** The part of a step that a mutation may replace. */
export interface StepContent {
  action: ProcessAction;
  actionDate: Date;
  positionProfileId: string | null;
  primaryParties: readonly ProcessParty[];
  seekSource: { readonly name: string } | null;
  status: { readonly code: string } | null;
}

/** One step of a candidate in the hiring process of a partner. */
export interface ProcessStep extends StepContent {
  readonly id: string;
  readonly profileId: string;
  readonly idempotencyId: string | null;
}

/** How a profile came about. */
export type ProfileKind = 'application' | 'prefill' | 'purchase' | 'upload';

/** A candidate's application, or a profile that was uploaded, purchased or prefilled. */
export interface CandidateProfile {
  readonly id: string;
  readonly kind: ProfileKind;
  readonly candidateId: string;
  readonly hirerId: string;
  /** The ad that was applied for, or the unposted profile that a purchase is for. */
  readonly positionProfileId: string | null;
  readonly attachmentIds: readonly string[];
  readonly seekQuestionnaireSubmission: Submission | null;
  createdMs: number;
  updatedMs: number;
  seekActions: readonly ProcessAction[];
  /** Where an uploaded candidate would like to work. */
  positionPreferences: readonly { readonly locations: readonly { readonly referenceLocation: Address }[] }[];
}
