import { pages } from 'partner-bff-client';
import { Fault } from '../page/fault.tsx';
import { useLoaded, usePages } from '../page/use-loaded.ts';
import { usePlace } from '../place.ts';
import { knownApplications } from './known-applications.ts';
import { BATCH_ITEMS, readApplications, timeOf, type ApplicationProfile } from './use-arrivals.ts';

const NONE: readonly string[] = [];

/** Who applied for an ad: those your back end knows, ten in a request, and those who apply now; the latest first. */
export function Applications({ adId }: { adId: string }) {
  const { arrivals } = usePlace();
  const { data: ids = NONE, ...listing } = useLoaded((_, signal) => knownApplications(adId, signal), [adId]);
  const known = usePages(
    (bff, signal) =>
      pages(bff, {
        items: ids,
        limit: BATCH_ITEMS,
        signal,
        load: async (some, options) => {
          const results = await readApplications(bff, some, options);
          // nothing of a page came: that is a fault of the list
          if (results.every(({ error }) => error)) throw results[0]!.error!;
          return results;
        },
      }),
    [ids],
  );
  const fresh = arrivals.ofAd(adId);
  const freshIds = new Set(fresh.map(({ profileId }) => profileId.value));
  const read = known.pages.flat().filter(({ id }) => !freshIds.has(id));
  const unread = read.filter(({ error }) => error).length;
  const shown = [...fresh, ...read.flatMap(({ profile }) => profile ?? [])].sort((a, b) =>
    b.createDateTime.localeCompare(a.createDateTime),
  );
  const isLoading = listing.isLoading || known.isLoading;
  return (
    <section aria-labelledby="applications" className="stack">
      <h2 id="applications">Applications</h2>
      <p role="status" className="soft">
        {isLoading ? 'Loading…' : known.error ? 'Not all applications are shown.' : `${shown.length} shown`}
        {unread > 0 && `, ${unread} could not be read`}
      </p>
      <Fault error={listing.error} onRetry={listing.reload} />
      <Fault error={known.error} onRetry={known.reload} />
      <ul className="list">
        {shown.map((profile) => (
          <Row
            key={profile.profileId.value}
            profile={profile}
            adId={adId}
            isFresh={freshIds.has(profile.profileId.value)}
          />
        ))}
      </ul>
    </section>
  );
}

function Row({ profile, adId, isFresh }: { profile: ApplicationProfile; adId: string; isFresh: boolean }) {
  const { go } = usePlace();
  const id = profile.profileId.value;
  return (
    <li>
      <button className="row" onClick={() => go({ name: 'application', id, back: { name: 'ad', id: adId } })}>
        <span>
          {profile.candidate.person.name.formattedName}
          <small>{timeOf(profile.createDateTime)}</small>
        </span>
        {isFresh && <small className="new">New</small>}
      </button>
    </li>
  );
}
