import { Injectable } from '@nestjs/common';
import { SqlMemberships } from '../hirer-access/sources/sql-memberships.js';
import { RequestContext } from '../http/request-context.js';
import { HirerNames } from '../token/hirer-names.js';
import { EventRecords } from '../webhooks/store/records/event-records.js';

/** Most names that are asked of the upstream for one search. */
const NAMES_MAX = 200;
const FOUND_MAX = 20;

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
    private readonly memberships: SqlMemberships,
    private readonly events: EventRecords,
    private readonly names: HirerNames,
  ) {}

  /** Matching hirers, twenty at most: by id if one ends so, else by name. */
  async find(text: string): Promise<FoundHirer[]> {
    const wanted = text.toLowerCase();
    const hirerIds = await this.known();
    const byId = hirerIds.filter((hirerId) => hirerId.toLowerCase().endsWith(wanted));
    if (byId.length > 0) return this.named(byId.slice(0, FOUND_MAX));
    const named = await this.named(hirerIds.slice(0, NAMES_MAX));
    return named.filter(({ name }) => name?.toLowerCase().includes(wanted)).slice(0, FOUND_MAX);
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
