import { cursorPages, request } from 'partner-bff-client';
import { useState } from 'react';
import { HirerDocument, PositionOpeningsDocument, type PositionOpeningsQuery } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { Select } from '../page/field.tsx';
import { usePages, useQuery } from '../page/use-loaded.ts';
import { usePlace } from '../place.ts';
import { newDraft } from './draft.ts';

/** The most openings that the upstream gives in a page (interface 12). */
const PAGE_ITEMS = 20;

/** The ads of the hirer, by a registered operation: its partner token stays at the service. */
export function Ads() {
  const { go, hirer, happenings } = usePlace();
  const [statusCode, setStatusCode] = useState('Active');
  const { ads, isLoading, error, reload } = useAds(statusCode);
  const related = happenings.versionOf('HirerRelationshipChanged');
  const { data } = useQuery({ query: HirerDocument, variables: {} }, [], related);
  const allowed = data?.hiringOrganization?.seekApiCapabilities?.relationshipTypeCodes;
  const mayPost = allowed?.includes('JobPosting');
  return (
    <section aria-labelledby="ads" className="stack">
      <div className="bar">
        <h2 id="ads">Ads</h2>
        <Select
          label="Openings"
          value={statusCode}
          onChange={({ target }) => setStatusCode(target.value)}
          options={['Active', 'Closed'].map((code) => [code, code])}
        />
        {mayPost && (
          <button className="main" onClick={() => go({ name: 'form', draft: newDraft() })}>
            New ad
          </button>
        )}
      </div>
      {allowed && !mayPost && <p>{hirer.name} does not allow us to post ads.</p>}
      <p role="status" className="soft">
        {isLoading ? 'Loading…' : error ? 'Not all ads are shown.' : `${ads.length} shown`}
      </p>
      <Fault error={error} onRetry={reload} />
      <ul className="list">
        {ads.map((ad) => (
          <AdRow key={ad.profileId.value} ad={ad} />
        ))}
      </ul>
    </section>
  );
}

type Opening = PositionOpeningsQuery['positionOpenings']['edges'][number]['node'];
type ListedAd = Opening['paginatedPositionProfiles']['edges'][number]['node'];

/** The ads of all openings of a state, page after page, and again when an ad changes. */
function useAds(statusCode: string) {
  const { happenings } = usePlace();
  const { pages, ...state } = usePages(
    (bff, signal) => {
      const readPage = async (after: string | undefined, options: object) => {
        const variables = { filter: { statusCode }, first: PAGE_ITEMS, after };
        const query = { query: PositionOpeningsDocument, variables };
        return (await request(bff, query, options)).positionOpenings;
      };
      return cursorPages(bff, readPage, { signal });
    },
    [statusCode],
    happenings.versionOf('PositionProfilePosted', 'PositionProfileUpdated', 'PositionProfileClosed'),
  );
  const ads = pages
    .flatMap(({ edges }) => edges.flatMap(({ node }) => node.paginatedPositionProfiles.edges))
    .map(({ node }) => node)
    .filter((ad) => instructionOf(ad))
    .sort((a, b) => instructionOf(b)!.start.localeCompare(instructionOf(a)!.start));
  return { ...state, ads };
}

type Instruction = { readonly start: string; readonly end: string };

/** Of an ad; a profile that was never posted has none. */
const instructionOf = (ad: ListedAd): Instruction | undefined =>
  'postingInstructions' in ad ? ad.postingInstructions[0] : undefined;

/** Until when candidates can apply, or since when they cannot: an ad ends by itself, whatever its opening says. */
export function endOf({ end }: Instruction): string {
  const date = new Intl.DateTimeFormat('en-AU', { dateStyle: 'medium' }).format(new Date(end));
  return Date.parse(end) > Date.now() ? `Live until ${date}` : `Ended on ${date}`;
}

function AdRow({ ad }: { ad: ListedAd }) {
  const { go, arrivals } = usePlace();
  const id = ad.profileId.value;
  const count = arrivals.ofAd(id).length;
  const facts = [ad.positionLocation[0]?.contextualName, endOf(instructionOf(ad)!)];
  return (
    <li>
      <button className="row" onClick={() => go({ name: 'ad', id })}>
        <span>
          {ad.positionTitle}
          <small>{facts.filter(Boolean).join(' · ')}</small>
        </span>
        {count > 0 && <small className="new">{count} new</small>}
      </button>
    </li>
  );
}
