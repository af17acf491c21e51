import { pages, type Bff } from 'partner-bff-client';
import { useCallback } from 'react';
import { Fault } from '../page/fault.tsx';
import { useLoaded } from '../page/use-loaded.ts';
import { usePageRun } from '../page/use-page-run.ts';
import { usePlace } from '../place.ts';
import { useTexts } from '../texts.ts';
import { knownApplications } from './known-applications.ts';
import { BATCH_ITEMS, readApplications, type ApplicationProfile } from './use-arrivals.ts';

const NONE: readonly string[] = [];

/** Who applied for an ad: those your back end knows, ten in a request, and on top of them those who apply now. */
export function Applications({ adId }: { adId: string }) {
  const { t } = useTexts();
  const { arrivals } = usePlace();
  const { data: ids = NONE, ...listing } = useLoaded((_, signal) => knownApplications(adId, signal), [adId]);
  const open = useCallback((bff: Bff, signal: AbortSignal) => openApplications(bff, ids, signal), [ids]);
  const { pages: read, isLoading, error, resume } = usePageRun(open);
  const fresh = arrivals.ofAd(adId);
  const isFresh = new Set(fresh.map(({ profileId }) => profileId.value));
  const known = read.flat().filter(({ id }) => !isFresh.has(id));
  const missing = known.filter((one) => one.error).length + (error ? ids.length - read.flat().length : 0);
  const gone = known.filter((one) => !one.profile && !one.error).length;
  const shown = [...fresh, ...known.flatMap(({ profile }) => profile ?? [])];
  const count = shown.length;
  const isBusy = listing.isLoading || isLoading;
  return (
    <section aria-labelledby="applications" className="stack">
      <h2 id="applications">{t('applications')}</h2>
      <p role="status" className="soft">
        {isBusy || count > 0
          ? t(isBusy ? 'loadingCount' : 'count', { count })
          : !listing.error && !error && missing === 0 && t('none')}
      </p>
      <Fault error={listing.error} onRetry={listing.reload} />
      <Fault error={error} onRetry={resume} />
      {missing > 0 && <p className="bad">{t('missingCount', { count: missing })}</p>}
      {gone > 0 && <p className="soft">{t('goneCount', { count: gone })}</p>}
      <ul className="list">
        {shown.map((profile) => (
          <Row
            key={profile.profileId.value}
            profile={profile}
            adId={adId}
            isFresh={isFresh.has(profile.profileId.value)}
          />
        ))}
      </ul>
    </section>
  );
}

function openApplications(bff: Bff, ids: readonly string[], signal: AbortSignal) {
  return pages(bff, {
    items: ids,
    limit: BATCH_ITEMS,
    signal,
    load: async (some, options) => {
      const results = await readApplications(bff, some, options);
      // a page of which nothing came is tried again
      if (results.every(({ error }) => error)) throw results[0]!.error!;
      return results;
    },
  });
}

function Row({ profile, adId, isFresh }: { profile: ApplicationProfile; adId: string; isFresh: boolean }) {
  const { t, language } = useTexts();
  const { go } = usePlace();
  const when = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const id = profile.profileId.value;
  return (
    <li>
      <button className="row" onClick={() => go({ name: 'application', id, back: { name: 'ad', id: adId } })}>
        <span>
          {profile.candidate.person.name.formattedName}
          <small>{when.format(new Date(profile.createDateTime))}</small>
        </span>
        {isFresh && <small className="new">{t('isNew')}</small>}
      </button>
    </li>
  );
}
