import type { Person } from './people.js';

/** Part of how a position is described to candidates. */
export interface Description {
  readonly descriptionId: string;
  readonly content: string;
}

/** The pay offered for a position; amounts are in whole units of their currency. */
export interface Remuneration {
  readonly basisCode: string;
  readonly descriptions: readonly string[];
  readonly ranges: readonly {
    readonly intervalCode: string;
    readonly minimumAmount: { readonly currency: string; readonly value: number };
    readonly maximumAmount?: { readonly currency: string; readonly value: number } | null;
  }[];
}

/** A person whom the partner named for a position opening. */
export interface Contact {
  readonly name: string;
  readonly roleCode: string;
  readonly emails: readonly string[];
  readonly phones: readonly string[];
}

/** A vacancy of a hirer. */
export interface PositionOpening {
  readonly id: string;
  readonly hirerId: string;
  statusCode: string;
  contacts: readonly Contact[];
  partnerMetadata: string | null;
  /** The newest last. */
  readonly profileIds: string[];
}

/** A position profile, posted or not. */
export interface PositionProfile {
  readonly id: string;
  readonly openingId: string;
  readonly hirerId: string;
  readonly kind: 'posted' | 'unposted';
  title: string;
  readonly locationIds: readonly string[];
  readonly categoryIds: readonly string[];
  descriptions: readonly Description[];
  readonly remuneration: Remuneration;
  readonly workTypeCode: string | null;
  readonly workArrangementCodes: readonly string[];
  readonly adProductId: string | null;
  readonly idempotencyId: string | null;
  readonly questionnaireId: string | null;
  readonly brandingId: string | null;
  readonly billingReference: string | null;
  jobReference: string | null;
  partnerMetadata: string | null;
  readonly createdBySelf: boolean;
  readonly startMs: number | null;
  endMs: number | null;
}

/** A person who applied for a position, or whom the partner uploaded. */
export interface Candidate {
  readonly id: string;
  readonly hirerId: string;
  person: Person;
  /** The newest last. */
  readonly profileIds: string[];
  readonly isUploaded: boolean;
  isDeleted: boolean;
}

/** One step of a candidate in the hiring process of a partner. */
export interface ProcessStep {
  readonly id: string;
  readonly profileId: string;
  statusCode: string;
  descriptions: readonly string[];
  actionDateMs: number;
}

/** A candidate's application, or an uploaded profile. */
export interface CandidateProfile {
  readonly id: string;
  readonly candidateId: string;
  readonly hirerId: string;
  readonly positionProfileId: string | null;
  readonly attachmentIds: readonly string[];
  readonly createdMs: number;
  updatedMs: number;
  readonly steps: ProcessStep[];
  /** Lists that a mutation has replaced; the others follow from the identifier. */
  employers?: readonly string[];
  institutions?: readonly string[];
  competencies?: readonly string[];
}

/** The file formats of attachments, by file extension. */
export type AttachmentFormat = 'doc' | 'docx' | 'pdf' | 'rtf' | 'txt';

/** A file of a candidate profile; its bytes are generated on request. */
export interface Attachment {
  readonly id: string;
  readonly profileId: string;
  readonly hirerId: string;
  readonly roleCode: 'CoverLetter' | 'Resume' | 'SelectionCriteria' | null;
  readonly format: AttachmentFormat;
  readonly bytes: number;
  readonly fileName: string;
  readonly modifiedMs: number;
}

/** The look of a hirer's advertisements. */
export interface Branding {
  readonly id: string;
  readonly hirerId: string;
  readonly name: string;
}

/** One question of a questionnaire; questions of free text have no choices. */
export interface Question {
  readonly id: string;
  readonly value: string | null;
  readonly questionHtml: string;
  readonly responseTypeCode: string;
  readonly choices: readonly { readonly id: string; readonly text: string; readonly value: string | null; readonly preferred: boolean }[];
}

/** The questions that a position asks its applicants. */
export interface Questionnaire {
  readonly id: string;
  readonly hirerId: string;
  readonly questions: readonly Question[];
}

/** Every type of event that the upstream emits. */
export const EVENT_TYPES = [
  'CandidateApplicationCreated',
  'CandidateProfilePurchased',
  'HirerRelationshipChanged',
  'PositionProfilePosted',
  'PositionProfileUpdated',
  'PositionProfileClosed',
  'PositionNotPosted',
] as const;
/** One of the {@link EVENT_TYPES}. */
export type EventType = (typeof EVENT_TYPES)[number];

/** Something that has happened, and when it entered the stream. */
export interface EventRecord {
  readonly id: string;
  readonly type: EventType;
  readonly schemeId: string;
  readonly hirerId: string;
  readonly createdMs: number;
  readonly streamMs: number;
  /** Members that this type adds to a webhook body. */
  readonly members: Readonly<Record<string, string>>;
}
