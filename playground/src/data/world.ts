import { EventStream } from './event-stream.js';
import { makeHirers, type Hirer } from './hirers.js';
import { makeJobCategories, makeLocations, type JobCategory, type Location } from './ontologies.js';
import { SeededRandom } from './random.js';
import type { Candidate, CandidateProfile, ProcessStep } from './candidates/candidate-records.js';
import type { PositionOpening, PositionProfile } from './positions/position-records.js';
import type { Questionnaire } from './questionnaires/questionnaire-records.js';
import type { Attachment, Branding } from './records.js';

/** The scheme of market objects, and that of objects that belong to no market. */
export const SCHEMES = ['seekAnzPublicTest', 'globalPublicTest'] as const;

/** All data of the upstream; only the common parts until it is populated. */
export class World {
  readonly hirers = new Map<string, Hirer>(makeHirers().map((hirer) => [hirer.id, hirer]));
  readonly locations: ReadonlyMap<string, Location> = makeLocations();
  readonly jobCategories: ReadonlyMap<string, JobCategory> = makeJobCategories();
  readonly openings = new Map<string, PositionOpening>();
  readonly positionProfiles = new Map<string, PositionProfile>();
  readonly candidates = new Map<string, Candidate>();
  readonly candidateProfiles = new Map<string, CandidateProfile>();
  readonly steps = new Map<string, ProcessStep>();
  readonly attachments = new Map<string, Attachment>();
  readonly brandings = new Map<string, Branding>();
  readonly questionnaires = new Map<string, Questionnaire>();
  readonly events = new EventStream();
  private readonly random: SeededRandom;

  /** @param salt tells new identifiers of one start from those of another, which a service may remember */
  constructor(seed: string, salt: number | string = '') {
    this.random = new SeededRandom(`${seed}:new${salt}`);
  }

  /** True if the partner has any relationship with this hirer. */
  isRelated(hirerId: string): boolean {
    return (this.hirers.get(hirerId)?.relationships.length ?? 0) > 0;
  }

  /** The steps of a candidate's profile, the earliest first. */
  stepsOf(profileId: string): ProcessStep[] {
    return [...this.steps.values()]
      .filter((step) => step.profileId === profileId)
      .sort((a, b) => a.actionDate.getTime() - b.actionDate.getTime());
  }

  /** A new identifier, such as `newId('globalPublicTest:candidate:uploaded')`. */
  newId(prefix: string): string {
    return `${prefix}:${this.random.suffix()}`;
  }
}
