import type { PositionOpeningsQuery } from '../operations.ts';
import { usePlace } from '../place.ts';
import { useTexts } from '../texts.ts';

type Opening = PositionOpeningsQuery['positionOpenings']['edges'][number]['node'];
type ListedAd = Opening['paginatedPositionProfiles']['edges'][number]['node'];
type Instruction = { readonly start: string; readonly end: string };

/** Of an ad; a profile that was never posted has none. */
const instructionOf = (ad: ListedAd): Instruction | undefined =>
  'postingInstructions' in ad ? ad.postingInstructions[0] : undefined;
const startOf = (ad: ListedAd) => Date.parse(instructionOf(ad)?.start ?? '') || 0;

/** True while candidates can apply. The status of an opening is for the hirer's information: an ad ends by itself. */
export const isLive = (instruction: Instruction | undefined): boolean =>
  instruction !== undefined && Date.parse(instruction.end) > Date.now();

/** Until when an ad is live, or since when it is not. */
export function useAdState() {
  const { t, language } = useTexts();
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  return (one: Instruction | undefined) =>
    one && t(isLive(one) ? 'liveUntil' : 'endedOn', { date: date.format(new Date(one.end)) });
}

/** An opening by its live ads, else by its newest one; those before are folded away. */
export function OpeningItem({ opening }: { opening: Opening }) {
  const { t } = useTexts();
  const ads = opening.paginatedPositionProfiles.edges.map(({ node }) => node);
  ads.sort((a, b) => startOf(b) - startOf(a));
  const live = ads.filter((ad) => isLive(instructionOf(ad)));
  const shown = live.length > 0 ? live : ads.slice(0, 1);
  const earlier = ads.filter((ad) => !shown.includes(ad));
  return (
    <li>
      <Rows ads={shown} />
      {earlier.length > 0 && (
        <details>
          <summary>{t('earlierAds', { count: earlier.length })}</summary>
          <Rows ads={earlier} />
        </details>
      )}
    </li>
  );
}

function Rows({ ads }: { ads: readonly ListedAd[] }) {
  const { t } = useTexts();
  const { go, arrivals } = usePlace();
  const stateOf = useAdState();
  return ads.map((ad) => {
    const id = ad.profileId.value;
    const count = arrivals.ofAd(id).length;
    const facts = [ad.positionLocation[0]?.contextualName, stateOf(instructionOf(ad))];
    return (
      <button key={id} className="row" onClick={() => go({ name: 'ad', id })}>
        <span>
          {ad.positionTitle}
          <small>{facts.filter(Boolean).join(' · ')}</small>
        </span>
        {count > 0 && <small className="new">{t('newCount', { count })}</small>}
      </button>
    );
  });
}
