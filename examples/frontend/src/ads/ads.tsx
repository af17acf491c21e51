import { cursorPages, request, type Bff, type PageRun } from 'partner-bff-client';
import { useCallback, useState } from 'react';
import { PositionOpeningsDocument, type PositionOpeningsQuery } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { usePageRun } from '../page/use-page-run.ts';
import { usePlace } from '../place.ts';
import { codeText, useTexts } from '../texts.ts';
import { newDraft } from './draft.ts';

/** The largest `first` that the registered operation allows. */
const PAGE_ITEMS = 20;
const STATUSES = ['Active', 'Closed', 'Incomplete'];

/** The ads of the hirer, by a registered operation: its partner token stays at the service. */
export function Ads() {
  const { t } = useTexts();
  const { go, user, happenings, arrivals } = usePlace();
  const [statusCode, setStatusCode] = useState('Active');
  const open = useCallback((bff: Bff, signal: AbortSignal) => openAds(bff, statusCode, signal), [statusCode]);
  const version = happenings.versionOf(
    'PositionProfilePosted',
    'PositionProfileUpdated',
    'PositionProfileClosed',
  );
  const { pages, isLoading, error, resume } = usePageRun(open, version);
  const ads = pages.flatMap(({ edges }) => edges.flatMap(({ node }) => node.paginatedPositionProfiles.edges));
  return (
    <section aria-labelledby="ads" className="stack">
      <div className="bar">
        <h2 id="ads">{t('ads')}</h2>
        <select
          aria-label={t('show')}
          value={statusCode}
          onChange={({ target }) => setStatusCode(target.value)}
        >
          {STATUSES.map((code) => (
            <option key={code} value={code}>
              {codeText(t, 'opening', code)}
            </option>
          ))}
        </select>
        <button className="main" onClick={() => go({ name: 'form', draft: newDraft(user.name) })}>
          {t('newAd')}
        </button>
      </div>
      <p role="status" className="soft">
        {isLoading ? t('loadingCount', { count: ads.length }) : t('adCount', { count: ads.length })}
      </p>
      {!!error && ads.length > 0 && <p className="soft">{t('listIsPartial')}</p>}
      <Fault error={error} onRetry={resume} />
      <ul className="list">
        {ads.map(({ node: { profileId, positionTitle } }) => (
          <li key={profileId.value}>
            <button className="row" onClick={() => go({ name: 'ad', id: profileId.value })}>
              <span>{positionTitle}</span>
              <Count count={arrivals.ofAd(profileId.value).length} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Count({ count }: { count: number }) {
  const { t } = useTexts();
  return count > 0 && <small className="new">{t('newCount', { count })}</small>;
}

function openAds(
  bff: Bff,
  statusCode: string,
  signal: AbortSignal,
): PageRun<PositionOpeningsQuery['positionOpenings']> {
  return cursorPages(
    bff,
    async (after, options) => {
      const variables = { filter: { statusCode }, first: PAGE_ITEMS, after };
      const { positionOpenings } = await request(
        bff,
        { query: PositionOpeningsDocument, variables },
        options,
      );
      return positionOpenings;
    },
    signal,
  );
}
