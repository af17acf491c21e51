/** The file formats of attachments, by file extension. */
export type AttachmentFormat = 'doc' | 'pdf' | 'rtf' | 'txt';

/** A file of a candidate profile, written on request. */
export interface Attachment {
  readonly id: string;
  readonly profileId: string;
  readonly hirerId: string;
  readonly roleCode: 'CoverLetter' | 'Resume' | 'SelectionCriteria' | null;
  readonly format: AttachmentFormat;
  /** The size it is padded to; 0 for just what its text takes. */
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
  /** How many events were there before it: tells those of one millisecond apart. */
  readonly order: number;
  /** Members that this type adds to a webhook body. */
  readonly members: Readonly<Record<string, string>>;
}
