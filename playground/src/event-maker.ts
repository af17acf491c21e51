import { addApplication } from './data/populate-candidates.js';
import type { Hirer, RelationshipType } from './data/hirers.js';
import { SeededRandom } from './data/random.js';
import { EVENT_TYPES, type EventRecord, type EventType } from './data/records.js';
import type { World } from './data/world.js';
import type { Webhooks } from './webhooks/webhooks.js';

/** What an event to emit is about. */
export interface EventWish {
  /** The first related hirer by default. */
  readonly hirerId?: string;
  /** How long before now it happened: it enters the stream behind readers that have passed. */
  readonly lateMs?: number;
  /** HirerRelationshipChanged only: the relationships from now on. */
  readonly relationships?: readonly RelationshipType[];
  /** Type-specific members in place of generated ones. */
  readonly members?: Readonly<Record<string, string>>;
}

/** Makes events: changes the data, adds the event to the stream and passes it to the webhooks. */
export class EventMaker {
  private readonly random = new SeededRandom('events');
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly world: () => World,
    private readonly webhooks: Webhooks,
    private readonly now: () => number,
  ) {}

  emit(type: EventType, wish: EventWish = {}): EventRecord {
    const world = this.world();
    const hirer = this.hirerOf(wish.hirerId);
    const createdMs = this.now() - (wish.lateMs ?? 0);
    if (wish.relationships !== undefined) hirer.relationships = [...wish.relationships];
    const event: EventRecord = {
      id: world.newId('seekAnzPublicTest:event:events'),
      type,
      schemeId: 'seekAnzPublicTest',
      hirerId: hirer.id,
      createdMs,
      streamMs: createdMs,
      members: wish.members ?? this.membersOf(type, hirer),
    };
    world.events.add(event);
    this.webhooks.offer(event);
    return event;
  }

  /** Emits events of every type in turn at this rate per minute; 0 stops. */
  setRate(eventsPerMinute: number): void {
    clearInterval(this.timer);
    this.timer = undefined;
    if (eventsPerMinute <= 0) return;
    const related = [...this.world().hirers.values()].filter(({ relationships }) => relationships.length > 0);
    this.timer = setInterval(() => {
      this.emit(this.random.pick(EVENT_TYPES), { hirerId: this.random.pick(related).id });
    }, 60_000 / eventsPerMinute);
    this.timer.unref();
  }

  private hirerOf(hirerId: string | undefined): Hirer {
    const hirers = [...this.world().hirers.values()];
    const hirer = hirerId === undefined ? hirers[0] : hirers.find(({ id }) => id === hirerId);
    if (hirer === undefined) throw new RangeError(`There is no hirer ${String(hirerId)}`);
    return hirer;
  }

  private membersOf(type: EventType, hirer: Hirer): Record<string, string> {
    const world = this.world();
    const posted = [...world.positionProfiles.values()].filter(
      ({ hirerId, kind }) => hirerId === hirer.id && kind === 'posted',
    );
    switch (type) {
      case 'CandidateApplicationCreated': {
        const position = this.random.pick(posted);
        const applied = addApplication(world, hirer, position, this.random, {
          createdMs: this.now(),
          index: 7,
        });
        return { candidateApplicationProfileId: applied.id, candidateId: applied.candidateId };
      }
      case 'CandidateProfilePurchased': {
        const own = [...world.candidateProfiles.values()].filter(({ hirerId }) => hirerId === hirer.id);
        return { candidateProfileId: this.random.pick(own).id };
      }
      case 'HirerRelationshipChanged':
        return { hirerId: hirer.id };
      case 'PositionProfilePosted':
      case 'PositionProfileUpdated':
      case 'PositionProfileClosed':
        return { positionProfileId: this.random.pick(posted).id };
      case 'PositionNotPosted':
        return {
          reasonId: 'globalPublicTest:positionNotPostedReason:seek:2Rn7VqLx',
          seekPartnerPositionId: `partner-${this.random.suffix(8)}`,
        };
    }
  }
}
