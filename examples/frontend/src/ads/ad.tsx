import { request } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import { useState } from 'react';
import { Applications } from '../applications/applications.tsx';
import {
  ClosePositionProfileDocument,
  PositionProfileDocument,
  type PositionProfileQuery,
} from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { useQuery } from '../page/use-loaded.ts';
import { usePlace } from '../place.ts';
import { codeText, useTexts } from '../texts.ts';
import { draftOf } from './draft.ts';
import { textOfHtml } from './html.ts';
import { isLive, useAdState } from './openings.tsx';

type Profile = NonNullable<PositionProfileQuery['positionProfile']>;
type PostedAd = Extract<Profile, { __typename: 'PostedPositionProfile' }>;

/** One ad: what it says, what can be done with it, and who applied. */
export function Ad({ id }: { id: string }) {
  const { t } = useTexts();
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
        ← {t('ads')}
      </button>
      {isLoading && !ad && <p role="status">{t('loading')}</p>}
      <Fault error={error} onRetry={reload} />
      {data && !ad && <p className="soft">{t('adIsGone')}</p>}
      <div className="columns">
        {ad && <Content ad={ad} />}
        <Applications adId={id} />
      </div>
    </>
  );
}

function Content({ ad }: { ad: Profile }) {
  const { t, language } = useTexts();
  const stateOf = useAdState();
  const [instruction] = 'postingInstructions' in ad ? ad.postingInstructions : [];
  const textOf = (kind: string) =>
    ad.positionFormattedDescriptions.filter(({ descriptionId }) => descriptionId.value === kind);
  return (
    <section aria-labelledby="ad" className="stack">
      <h2 id="ad">{ad.positionTitle}</h2>
      <p className="soft">
        {[
          ad.positionLocation[0]?.contextualName,
          ad.jobCategories[0]?.name,
          ad.seekAnzWorkTypeCode && codeText(t, 'work', ad.seekAnzWorkTypeCode),
          payOf(ad, language),
          instruction?.seekAdvertisementProduct?.label,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {instruction && <p className="soft">{stateOf(instruction)}</p>}
      {textOf('SearchSummary').map(({ content }) => (
        <p key={content}>
          <strong>{textOfHtml(content)}</strong>
        </p>
      ))}
      {textOf('AdvertisementDetails').map(({ content }) => (
        <p key={content} className="text">
          {textOfHtml(content)}
        </p>
      ))}
      {isLive(instruction) && <Actions ad={ad as PostedAd} />}
    </section>
  );
}

/** The pay as the ad tells it, else the amounts. */
function payOf({ offeredRemunerationPackage: pay }: Profile, language: string): string | undefined {
  const amount = ({ currency, value }: { currency: string; value: number }) =>
    new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 0 }).format(value);
  const [range] = pay.ranges;
  if (pay.descriptions[0] !== undefined || !range) return pay.descriptions[0];
  const amounts = [range.minimumAmount, range.maximumAmount].flatMap((one) => (one ? amount(one) : []));
  return [...new Set(amounts)].join('–');
}

/** What can be done with a live ad. The upstream acts after its answer: "under way" says when it has. */
function Actions({ ad }: { ad: PostedAd }) {
  const { t } = useTexts();
  const bff = useBff();
  const { go, begin, happenings } = usePlace();
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>();
  const close = async () => {
    setAsking(false);
    setError(undefined);
    const id = ad.profileId.value;
    const after = happenings.last;
    const input = { positionProfile: { profileId: id } };
    try {
      await request(bff, { query: ClosePositionProfileDocument, variables: { input } });
      begin({ kind: 'close', id, title: ad.positionTitle, after });
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <>
      <div className="bar">
        <button onClick={() => go({ name: 'form', draft: draftOf(ad) })}>{t('change')}</button>
        {!isAsking && <button onClick={() => setAsking(true)}>{t('closeAd')}</button>}
      </div>
      {isAsking && (
        <div className="bar" role="group" aria-label={t('closeAd')}>
          <span>{t('closeAdQuestion')}</span>
          <button className="main" onClick={() => void close()}>
            {t('closeAdYes')}
          </button>
          <button onClick={() => setAsking(false)}>{t('cancel')}</button>
        </div>
      )}
      <Fault error={error} isHere />
    </>
  );
}
