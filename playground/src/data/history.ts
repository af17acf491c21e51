import { SeededRandom } from './random.js';
import type { EventRecord, EventType } from './records.js';
import type { World } from './world.js';

const HISTORY_MS = 90 * 86_400_000;

/** The events that the data of a new world imply, of the last 90 days. */
export function makeHistory(world: World, seed: string, startMs: number): EventRecord[] {
  const random = new SeededRandom(`${seed}:history`);
  const events: EventRecord[] = [];
  const add = (type: EventType, hirerId: string, createdMs: number, members: Record<string, string>): void => {
    const id = `seekAnzPublicTest:event:events:${random.suffix()}`;
    const streamMs = createdMs + random.int(100, 5_000);
    if (createdMs < startMs - HISTORY_MS || streamMs > startMs || !world.isRelated(hirerId)) return;
    events.push({ id, type, schemeId: 'seekAnzPublicTest', hirerId, createdMs, streamMs, members });
  };
  for (const { id, hirerId, kind, startMs: postedMs, endMs } of world.positionProfiles.values()) {
    if (kind === 'unposted' || postedMs === null) continue;
    add('PositionProfilePosted', hirerId, postedMs, { positionProfileId: id });
    if (endMs !== null) add('PositionProfileClosed', hirerId, endMs, { positionProfileId: id });
  }
  for (const { id, candidateId, hirerId, createdMs, positionProfileId } of world.candidateProfiles.values()) {
    if (positionProfileId === null) continue;
    add('CandidateApplicationCreated', hirerId, createdMs, { candidateApplicationProfileId: id, candidateId });
  }
  for (const hirer of world.hirers.values()) {
    add('HirerRelationshipChanged', hirer.id, startMs - random.int(1, 80) * 86_400_000, { hirerId: hirer.id });
  }
  return events;
}
