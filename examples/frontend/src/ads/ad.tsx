import { Applications } from '../applications/applications.tsx';
import { wordsOf } from '../codes.ts';
import { PositionProfileDocument, type PositionProfileQuery } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { useQuery } from '../page/use-loaded.ts';
import { usePlace } from '../place.ts';
import { endOf } from './ads.tsx';
import { textOfHtml } from './html.ts';

type Profile = NonNullable<PositionProfileQuery['positionProfile']>;

/** One ad: what it says, and who applied. */
export function Ad({ id }: { id: string }) {
  const { go, happenings } = usePlace();
  const { data, error, isLoading, reload } = useQuery(
    { query: PositionProfileDocument, variables: { id } },
    [id],
    happenings.versionOf('PositionProfileUpdated', 'PositionProfileClosed', 'HirerRelationshipChanged'),
  );
  const ad = data?.positionProfile;
  return (
    <>
      <button className="back" onClick={() => go({ name: 'ads' })}>
        ← Ads
      </button>
      {isLoading && !ad && <p role="status">Loading…</p>}
      <Fault error={error} onRetry={reload} />
      {data && !ad && <p className="soft">This ad is no longer available.</p>}
      <div className="columns">
        {ad && <Content ad={ad} />}
        <Applications adId={id} />
      </div>
    </>
  );
}

function Content({ ad }: { ad: Profile }) {
  const [instruction] = 'postingInstructions' in ad ? ad.postingInstructions : [];
  const [summary, details] = ['SearchSummary', 'AdvertisementDetails'].map((kind) =>
    ad.positionFormattedDescriptions.find(({ descriptionId }) => descriptionId.value === kind),
  );
  const facts = [
    ad.positionLocation[0]?.contextualName,
    ad.jobCategories[0]?.name,
    ad.seekAnzWorkTypeCode && wordsOf(ad.seekAnzWorkTypeCode),
    payOf(ad),
    instruction?.seekAdvertisementProduct?.label,
  ];
  return (
    <section aria-labelledby="ad" className="stack">
      <h2 id="ad">{ad.positionTitle}</h2>
      <p className="soft">{facts.filter(Boolean).join(' · ')}</p>
      {instruction && <p className="soft">{endOf(instruction)}</p>}
      {summary && <strong>{textOfHtml(summary.content)}</strong>}
      {details && <p className="text">{textOfHtml(details.content)}</p>}
    </section>
  );
}

/** The pay as the ad tells it, else the amounts. */
function payOf({ offeredRemunerationPackage: { descriptions, ranges } }: Profile): string | undefined {
  const [range] = ranges;
  if (descriptions[0] !== undefined || !range) return descriptions[0];
  const amounts = [range.minimumAmount, range.maximumAmount].flatMap((amount) =>
    amount ? `${amount.currency} ${amount.value.toLocaleString('en-AU')}` : [],
  );
  return [...new Set(amounts)].join(' to ');
}
