/** Something that the person on call should know first, in sentences that need no other figure to be understood. */
export interface Attention {
  /** `unknown`: whether something is wrong cannot be told yet. */
  readonly severity: 'bad' | 'warn' | 'unknown' | 'info';
  /** The problem. */
  readonly what: string;
  /** The party at fault. */
  readonly fault: string;
  /** The action to take. */
  readonly action: string;
  /** Heading of the runbook that says more. */
  readonly runbook: string;
  /** What it speaks of; absent where no list shows it. */
  readonly list?: ListLink;
}

/** A list of the page, and the values of its filters. */
export interface ListLink {
  readonly name: 'audit' | 'events' | 'refusals' | 'relationships';
  readonly filter: Readonly<Record<string, string>>;
}

/** The audit records with an outcome. */
export function auditOf(outcome: string): ListLink {
  return { name: 'audit', filter: { outcome } };
}
