import { KEPT_MS } from './event-stream.js';
import { SeededRandom } from './random.js';
import type { EventRecord, EventType } from './records.js';
import type { World } from './world.js';

/** Identifiers of events that the upstream's public documentation shows, by type and the end of what they are about. */
const KNOWN_EVENTS: Readonly<Record<string, string>> = {
  'CandidateApplicationCreated 4QM5fWQbdekL9gPtPZrzex': '5cKZnRzXas97fyUAhpiAV1',
  'CandidateApplicationCreated 7DtW6Q68gk2R4okNGhvg1Y': 'WBmJMt4uEbj72ZVMhGi2hS',
  'PositionProfilePosted 2782PZfXV': 'KNYEK91zoe8JoZU9iv6853',
};

/** The events that the data of a new world imply, of the last 90 days. */
export function makeHistory(world: World, seed: string, startMs: number): EventRecord[] {
  const random = new SeededRandom(`${seed}:history`);
  const events: EventRecord[] = [];
  const add = (
    type: EventType,
    hirerId: string,
    createdMs: number,
    members: Record<string, string>,
  ): void => {
    const subject = members['candidateApplicationProfileId'] ?? members['positionProfileId'] ?? '';
    const known = KNOWN_EVENTS[`${type} ${subject.slice(subject.lastIndexOf(':') + 1)}`];
    const id = `seekAnzPublicTest:event:events:${known ?? random.suffix()}`;
    const streamMs = createdMs + random.int(100, 5_000);
    if (createdMs < startMs - KEPT_MS || streamMs > startMs || !world.isRelated(hirerId)) return;
    const schemeId = 'seekAnzPublicTest';
    events.push({ id, type, schemeId, hirerId, createdMs, streamMs, order: events.length, members });
  };
  for (const { id, hirerId, ad } of world.positionProfiles.values()) {
    if (ad === null) continue;
    add('PositionProfilePosted', hirerId, ad.startMs, { positionProfileId: id });
    add('PositionProfileClosed', hirerId, ad.endMs, { positionProfileId: id });
    if (random.chance(0.1)) {
      const changedMs = random.int(ad.startMs, Math.max(ad.startMs, Math.min(ad.endMs, startMs)));
      add('PositionProfileUpdated', hirerId, changedMs, { positionProfileId: id });
    }
  }
  for (const { id, kind, candidateId, hirerId, createdMs } of world.candidateProfiles.values()) {
    if (kind === 'purchase') add('CandidateProfilePurchased', hirerId, createdMs, { candidateProfileId: id });
    if (kind === 'application') {
      add('CandidateApplicationCreated', hirerId, createdMs, {
        candidateApplicationProfileId: id,
        candidateId,
      });
    }
  }
  for (const hirer of world.hirers.values()) {
    add('HirerRelationshipChanged', hirer.id, startMs - random.int(1, 80) * 86_400_000, {
      hirerId: hirer.id,
    });
  }
  return events;
}
