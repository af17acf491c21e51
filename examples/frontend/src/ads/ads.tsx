import { cursorPages, request, type Bff } from 'partner-bff-client';
import { useCallback, useState } from 'react';
import { HirerDocument, PositionOpeningsDocument } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { useQuery } from '../page/use-loaded.ts';
import { usePageRun } from '../page/use-page-run.ts';
import { usePlace } from '../place.ts';
import { codeText, useTexts } from '../texts.ts';
import { newDraft } from './draft.ts';
import { OpeningItem } from './openings.tsx';

/** The largest `first` that the registered operation allows. */
const PAGE_ITEMS = 20;
const STATUSES = ['Active', 'Closed', 'Incomplete'];

/** The ads of the hirer, by a registered operation: its partner token stays at the service. */
export function Ads() {
  const { t } = useTexts();
  const { go, hirer, user, happenings } = usePlace();
  const [statusCode, setStatusCode] = useState('Active');
  const { openings, isLoading, error, resume } = useOpenings(statusCode);
  const related = happenings.versionOf('HirerRelationshipChanged');
  const access = useQuery({ query: HirerDocument, variables: {} }, [], related);
  const allowed = access.data?.hiringOrganization?.seekApiCapabilities?.relationshipTypeCodes;
  const mayPost = allowed?.includes('JobPosting') ?? !access.isLoading;
  const count = openings.length;
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
        {mayPost && (
          <button className="main" onClick={() => go({ name: 'form', draft: newDraft(user.name) })}>
            {t('newAd')}
          </button>
        )}
      </div>
      {allowed && !mayPost && <p>{t('noPosting', { hirer: hirer.name ?? '' })}</p>}
      <p role="status" className="soft">
        {isLoading || count > 0 ? t(isLoading ? 'loadingCount' : 'count', { count }) : !error && t('none')}
      </p>
      {!!error && count > 0 && <p className="soft">{t('listIsPartial')}</p>}
      <Fault error={error} onRetry={resume} />
      <ul className="list">
        {openings.map((opening) => (
          <OpeningItem key={opening.documentId.value} opening={opening} />
        ))}
      </ul>
    </section>
  );
}

/** The openings of a state that have an ad: a page after the other, and again when an ad changes. */
function useOpenings(statusCode: string) {
  const { happenings } = usePlace();
  const open = useCallback(
    (bff: Bff, signal: AbortSignal) => {
      const readPage = async (after: string | undefined, options: object) => {
        const variables = { filter: { statusCode }, first: PAGE_ITEMS, after };
        const query = { query: PositionOpeningsDocument, variables };
        return (await request(bff, query, options)).positionOpenings;
      };
      return cursorPages(bff, readPage, { signal });
    },
    [statusCode],
  );
  const version = happenings.versionOf(
    'PositionProfilePosted',
    'PositionProfileUpdated',
    'PositionProfileClosed',
  );
  const { pages, ...run } = usePageRun(open, version);
  const openings = pages
    .flatMap(({ edges }) => edges.map(({ node }) => node))
    .filter(({ paginatedPositionProfiles: { edges } }) => edges.length > 0);
  return { ...run, openings };
}
