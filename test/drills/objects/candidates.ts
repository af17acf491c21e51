import { setTimeout as delay } from 'node:timers/promises';
import type { Playground } from '../../../playground/src/playground.js';

const BATCH = 50;
const PAUSE_MS = 50;
const APPLIED = 'CandidateApplicationCreated';

/** An application as the upstream has it. */
export interface SentApplication {
  readonly id: string;
  readonly email: string;
  readonly attachments: readonly { readonly fileName: string; readonly path: string }[];
}

/** The candidates of the drill, who apply at a playground. */
export class Candidates {
  private readonly ids: string[] = [];

  constructor(private readonly playground: Playground) {}

  /** Lets that many candidates apply, a batch after the other. */
  async apply(count: number): Promise<void> {
    while (this.ids.length < count) {
      for (let made = 0; made < BATCH && this.ids.length < count; made += 1) {
        const { members } = this.playground.events.emit(APPLIED);
        this.ids.push(members['candidateApplicationProfileId']!);
      }
      await delay(PAUSE_MS);
    }
  }

  /** The ids of the applications. */
  applied(): readonly string[] {
    return this.ids;
  }

  /** The applications, as they were sent. */
  sent(): readonly SentApplication[] {
    const { candidates, candidateProfiles, attachments } = this.playground.world;
    return this.ids.map((id) => {
      const { candidateId, attachmentIds } = candidateProfiles.get(id)!;
      return {
        id,
        email: candidates.get(candidateId)!.person.communication.email[0]?.address ?? '',
        attachments: attachmentIds.map((attachmentId) => ({
          fileName: attachments.get(attachmentId)!.fileName,
          path: `/anzPublicTest/applications/${lastPart(id)}/attachments/${lastPart(attachmentId)}`,
        })),
      };
    });
  }
}

function lastPart(id: string): string {
  return id.slice(id.lastIndexOf(':') + 1);
}
