import { Inject, Injectable } from '@nestjs/common';
import { SqlMemberships } from '../hirer-access/sources/sql-memberships.js';
import { RequestContext } from '../http/request-context.js';
import { HirerNames } from '../token/hirer-names.js';
import { EventRecords } from '../webhooks/store/event-records.js';

const FOUND_MAX = 20;

/** The hirers that match a search. */
export interface FoundHirers {
  readonly items: readonly FoundHirer[];
  /** Hirers that may match too: the upstream does not say their names. */
  readonly unnamed: number;
}

/** A hirer that matches. */
export interface FoundHirer {
  readonly hirerId: string;
  /** Null when the upstream does not say. */
  readonly name: string | null;
}

/**
 * Finds hirers by part of their name, or by the end of their id, among those that have members here or that events are
 * about. Names come from the upstream, through the same cache as for end users.
 */
@Injectable()
export class HirerSearch {
  constructor(
    @Inject(SqlMemberships) private readonly memberships: Pick<SqlMemberships, 'hirers'>,
    @Inject(EventRecords) private readonly events: Pick<EventRecords, 'hirers'>,
    @Inject(HirerNames) private readonly names: Pick<HirerNames, 'of'>,
  ) {}

  /** Matching hirers, twenty at most: by id if one ends so, else by name. */
  async find(text: string): Promise<FoundHirers> {
    const wanted = text.toLowerCase();
    const hirerIds = await this.known();
    const byId = hirerIds.filter((hirerId) => hirerId.toLowerCase().endsWith(wanted));
    if (byId.length > 0) return { items: await this.named(byId.slice(0, FOUND_MAX)), unnamed: 0 };
    const named = await this.named(hirerIds);
    const matching = named.filter(({ name }) => name?.toLowerCase().includes(wanted));
    const unnamed = named.filter(({ name }) => name === null).length;
    return { items: matching.slice(0, FOUND_MAX), unnamed };
  }

  /** The names of these hirers, in order. */
  async named(hirerIds: readonly string[]): Promise<FoundHirer[]> {
    const names = await this.names.of(hirerIds, RequestContext.background());
    return hirerIds.map((hirerId, index) => ({ hirerId, name: names[index] ?? null }));
  }

  private async known(): Promise<string[]> {
    const [members, concerned] = await Promise.all([this.memberships.hirers(), this.events.hirers()]);
    return [...new Set([...members, ...concerned])];
  }
}
