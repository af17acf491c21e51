import { batch, type Bff } from 'partner-bff-client';
import { useRef } from 'react';
import { ApplicationDocument, type ApplicationQuery } from '../operations.ts';
import { useLoaded } from '../page/use-loaded.ts';
import type { Happenings } from '../use-happenings.ts';

/** An application, as the registered operation answers it. */
export type ApplicationProfile = NonNullable<ApplicationQuery['candidateProfile']>;

/** How many operations one array may hold: the service's BATCH_LIMIT. */
export const BATCH_ITEMS = 10;

/** An application, null if it is no longer there, or the error that kept it away. */
export interface Read {
  readonly id: string;
  readonly profile?: ApplicationProfile | null | undefined;
  readonly error?: Error | undefined;
}

/** Reads at most ten applications in one request; one that fails leaves the others. */
export async function readApplications(
  bff: Bff,
  ids: readonly string[],
  options: { readonly signal: AbortSignal },
): Promise<Read[]> {
  const operations = ids.map((id) => ({ query: ApplicationDocument, variables: { id } }));
  const results = await batch(bff, operations, options);
  return results.map(({ data, error }, at) => {
    const profile = (data as ApplicationQuery | null | undefined)?.candidateProfile;
    return { id: ids[at]!, profile, error: profile ? undefined : error };
  });
}

/** The applications that came while the hirer is on view. */
export interface Arrivals {
  /** The latest first. */
  readonly all: readonly ApplicationProfile[];
  readonly ofAd: (adId: string) => readonly ApplicationProfile[];
  readonly error: unknown;
  readonly reload: () => void;
}

/** Reads each application that an event names, once. An event names no ad: the application does. */
export function useArrivals({ events }: Happenings): Arrivals {
  const read = useRef(new Map<string, ApplicationProfile | null>()).current;
  const ids = events
    .filter(({ type }) => type === 'CandidateApplicationCreated')
    .map(({ data }) => String(data['candidateApplicationProfileId']));
  const { error, reload } = useLoaded(
    async (bff, signal) => {
      const missing = ids.filter((id) => !read.has(id));
      for (let at = 0; at < missing.length; at += BATCH_ITEMS) {
        const some = await readApplications(bff, missing.slice(at, at + BATCH_ITEMS), { signal });
        for (const { id, profile, error: fault } of some) if (!fault) read.set(id, profile ?? null);
        const fault = some.find((one) => one.error)?.error;
        if (fault) throw fault;
      }
      return read.size; // renders again
    },
    [],
    ids.join(),
  );
  const all = ids.map((id) => read.get(id)).filter((profile) => profile != null);
  return { all, ofAd: (adId) => all.filter((profile) => adIdOf(profile) === adId), error, reload };
}

/** The ad that an application is for. */
export function adIdOf({ associatedPositionProfile }: ApplicationProfile): string | undefined {
  return associatedPositionProfile?.profileId.value;
}

/** When an application came, as the page shows it. */
export function timeOf(text: string): string {
  return new Intl.DateTimeFormat('en-AU', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(text));
}
