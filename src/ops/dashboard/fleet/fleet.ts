import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { every, type Loop } from '../../../concurrency/every.js';
import { within } from '../../../concurrency/within.js';
import { Default } from '../../../config/default.js';
import { CONFIG } from '../../../config/load-config.js';
import { VERSION } from '../../../config/version.js';
import { Database } from '../../../storage/database.js';
import type { Readiness } from '../../../telemetry/health.js';
import { LOG, type Log } from '../../../telemetry/log.js';
import { identify, type IdentitySettings } from '../../../telemetry/service-identity.js';
import type { DashboardSample } from '../dashboard-sample.js';
import { OVERALL_STATES } from '../overall-state.js';
import { HalfHour, readFigures, writeFigures } from './figures.js';
import { viewOf, type FleetView, type Member, type Replica } from './fleet-view.js';
import { ReplicaStore, type ReplicaRow } from './replica-store.js';

const INTERVAL_MS = 5_000;
const GONE_MS = 60_000;
/** How long a replica that is gone is still listed. */
const LISTED_MS = 600_000;
const HALF_HOUR_MS = 1_800_000;
/** A stop waits no longer for the store. */
const STOP_MS = 500;

/**
 * The replicas of the service, as far as they share a PostgreSQL: each writes a row of its own every 5 s, with what it
 * did lately, and reads those of the others. Elsewhere this process is the only one. While the database is down, what was last read stays.
 */
@Injectable()
export class Fleet implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly member: Member;
  private readonly others = new Map<string, Member>();
  private readonly store: ReplicaStore;
  private loop: Loop | undefined;
  private isInterrupted = false;

  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Pick<Log, 'info' | 'warn'>,
    @Inject(CONFIG) config: IdentitySettings,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.store = new ReplicaStore(database);
    this.member = {
      replica: {
        id: randomUUID(),
        name: identify(config).replica,
        version: VERSION,
        startedAt: now(),
        seenAt: now(),
        state: 'not ready',
        isSelf: true,
      },
      readiness: undefined,
      halfHour: new HalfHour(),
      isListed: true,
    };
  }

  onApplicationBootstrap(): void {
    if (this.database.setting !== 'DATABASE_URL') return;
    this.loop = every(
      INTERVAL_MS,
      () => this.exchange(),
      (error) => {
        if (!this.isInterrupted) this.log.warn({ err: error }, 'the dashboard cannot exchange figures');
        this.isInterrupted = true;
      },
    );
  }

  /** Removes the row: a replica that stops is not gone. */
  async onApplicationShutdown(): Promise<void> {
    const { loop } = this;
    if (loop === undefined) return;
    const leave = async (): Promise<void> => {
      await loop.stop();
      await this.store.remove(this.self.id);
    };
    await within(STOP_MS, leave()).catch(() => undefined); // the others see it as gone instead
  }

  /** Takes what this replica did in an interval, and its state at the end. */
  note(sample: DashboardSample, readiness: Readiness, state: Replica['state']): void {
    const { member } = this;
    const { state: previous } = member.replica;
    member.halfHour.add(sample);
    member.readiness = readiness;
    member.replica = { ...member.replica, seenAt: this.now(), state };
    if (state !== previous) this.loop?.wake();
  }

  /** This replica. */
  get self(): Replica {
    return this.member.replica;
  }

  /** This replica first, then the others by name. */
  get replicas(): readonly Replica[] {
    const listed = [...this.others.values()].filter(({ isListed }) => isListed);
    const others = listed.map(({ replica }) => replica);
    return [this.self, ...others.sort((a, b) => (a.name < b.name ? -1 : 1))];
  }

  /**
   * What one of the others did, or `all` together.
   * @returns undefined for this replica, and for one that is not known
   */
  view(which: string | undefined, now = this.now()): FleetView | undefined {
    if (which === 'all') return viewOf([this.member, ...this.others.values()], now);
    const member = which === undefined ? undefined : this.others.get(which);
    return member?.isListed ? viewOf([member], now) : undefined;
  }

  /** One round: writes the own row and reads the others. */
  async exchange(): Promise<void> {
    const { id, name, version, startedAt, state } = this.self;
    const { readiness, halfHour } = this.member;
    if (readiness === undefined) return;
    const now = this.now();
    const figures = writeFigures({ readiness, samples: halfHour.latest });
    await this.store.write({ id, name, version, started_at: startedAt, seen_at: now, state, figures });
    await this.store.purge(now - GONE_MS - LISTED_MS);
    this.take(await this.store.readOthers(id), now);
    if (this.isInterrupted) this.log.info('the dashboard exchanges figures again');
    this.isInterrupted = false;
  }

  private take(rows: readonly ReplicaRow[], now: number): void {
    for (const [id, member] of this.others) {
      member.isListed = false;
      if (member.replica.seenAt < now - HALF_HOUR_MS) this.others.delete(id);
    }
    for (const row of rows) {
      const figures = readFigures(row.figures);
      const halfHour = this.others.get(row.id)?.halfHour ?? new HalfHour();
      for (const sample of figures?.samples ?? []) halfHour.put(sample);
      const replica = toReplica(row, now);
      this.others.set(row.id, { replica, readiness: figures?.readiness, halfHour, isListed: true });
    }
  }
}

function toReplica(row: ReplicaRow, now: number): Replica {
  const { id, name, version, started_at: startedAt, seen_at: seenAt } = row;
  const state = OVERALL_STATES.find((one) => one === row.state) ?? 'degraded';
  const isGone = seenAt < now - GONE_MS;
  return { id, name, version, startedAt, seenAt, state: isGone ? 'gone' : state, isSelf: false };
}
