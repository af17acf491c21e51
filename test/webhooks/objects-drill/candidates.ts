import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const BATCH = 50;
const LOOK_MS = 50;
const APPLIED = 'CandidateApplicationCreated';

/** An application as the upstream has it. */
export interface SentApplication {
  readonly id: string;
  readonly email: string;
  readonly attachments: readonly { readonly id: string; readonly fileName: string; readonly path: string }[];
}

/** The part of the playground's state that the drill reads. */
interface UpstreamState {
  readonly partners: readonly {
    readonly world: {
      readonly events: readonly {
        readonly type: string;
        readonly members: Readonly<Record<string, string>>;
      }[];
      readonly records: {
        readonly candidates: readonly { readonly id: string; readonly person: { emails: string[] } }[];
        readonly candidateProfiles: readonly { readonly id: string; readonly candidateId: string }[];
        readonly attachments: readonly {
          readonly id: string;
          readonly profileId: string;
          readonly fileName: string;
        }[];
      };
    };
  }[];
}

/**
 * The candidates of the drill, who apply at a playground that keeps its state. What it tells is on its disk first, as at
 * any upstream: webhooks are held back until the applications stand in the file, so that a kill forgets those only of
 * which nobody has heard.
 */
export class Candidates {
  private readonly known: ReadonlySet<string>;

  /** @param file the state of the playground, with what stood in it before */
  constructor(
    private readonly url: string,
    private readonly file: string,
  ) {
    this.known = new Set(applicationIds(readState(file)));
  }

  /** Lets candidates apply until the upstream has that many applications; goes on when it is killed. */
  async apply(count: number): Promise<void> {
    while (this.applied().length < count) {
      await this.applyBatch(Math.min(BATCH, count - this.applied().length)).catch(() => delay(LOOK_MS));
    }
  }

  /** The ids of the applications that the upstream has. */
  applied(): readonly string[] {
    return applicationIds(readState(this.file)).filter((id) => !this.known.has(id));
  }

  /** The applications that the upstream has, as they were sent. */
  sent(): readonly SentApplication[] {
    const { candidates, candidateProfiles, attachments } = readState(this.file).partners[0]!.world.records;
    const emails = new Map(candidates.map(({ id, person }) => [id, person.emails[0] ?? '']));
    const candidateOf = new Map(candidateProfiles.map(({ id, candidateId }) => [id, candidateId]));
    const filesOf = Map.groupBy(attachments, ({ profileId }) => profileId);
    return this.applied().map((id) => ({
      id,
      email: emails.get(candidateOf.get(id)!)!,
      attachments: (filesOf.get(id) ?? []).map((file) => ({
        ...file,
        path: `/anzPublicTest/applications/${lastPart(id)}/attachments/${lastPart(file.id)}`,
      })),
    }));
  }

  private async applyBatch(count: number): Promise<void> {
    await this.control('webhooks/mischief', { paused: true });
    const { eventIds } = await this.control('events', { type: APPLIED, count });
    while (!readFileSync(this.file, 'utf8').includes((eventIds as string[]).at(-1)!)) {
      await this.control('webhooks/mischief', { paused: true }); // throws when it was killed
      await delay(LOOK_MS);
    }
    await this.control('webhooks/mischief', { paused: false });
  }

  private async control(name: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${this.url}/playground/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  }
}

/** Waits until a playground has written its state. */
export async function untilKept(file: string): Promise<void> {
  while (!existsSync(file) || readState(file).partners[0]?.world === undefined) await delay(LOOK_MS);
}

function readState(file: string): UpstreamState {
  return JSON.parse(readFileSync(file, 'utf8')) as UpstreamState;
}

function applicationIds({ partners: [partner] }: UpstreamState): string[] {
  return partner!.world.events
    .filter(({ type }) => type === APPLIED)
    .map(({ members }) => members['candidateApplicationProfileId']!);
}

function lastPart(id: string): string {
  return id.slice(id.lastIndexOf(':') + 1);
}
