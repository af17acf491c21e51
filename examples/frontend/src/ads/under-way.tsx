import { PositionProfileDocument } from '../operations.ts';
import { useQuery } from '../page/use-loaded.ts';
import { usePlace, type Change } from '../place.ts';
import { useTexts, type TextKey } from '../texts.ts';
import type { Happening } from '../use-happenings.ts';

const TEXTS: Readonly<Record<Change['kind'], { during: TextKey; done: TextKey; event: string }>> = {
  post: { during: 'posting', done: 'posted', event: 'PositionProfilePosted' },
  update: { during: 'updating', done: 'updated', event: 'PositionProfileUpdated' },
  close: { during: 'closing', done: 'closed', event: 'PositionProfileClosed' },
};

interface UnderWayProps {
  readonly changes: readonly Change[];
  readonly onSettle: (change: Change) => void;
}

/** What was asked of the upstream, until its event says that it has happened, or why not. */
export function UnderWay({ changes, onSettle }: UnderWayProps) {
  return (
    <div role="status" className="notices">
      {changes.map((change) => (
        <Progress key={change.id} change={change} onSettle={() => onSettle(change)} />
      ))}
    </div>
  );
}

function Progress({ change, onSettle }: { change: Change; onSettle: () => void }) {
  const { t } = useTexts();
  const { happenings, go } = usePlace();
  const { kind, id, title, draft } = change;
  const events = happenings.events.filter(({ at }) => at > change.after);
  const refusal = kind === 'post' ? events.find((event) => isRefusalOf(event, id)) : undefined;
  const isTold = events.some(
    ({ type, data }) => type === TEXTS[kind].event && data['positionProfileId'] === id,
  );
  const isDone = useIsThere(change) || isTold;
  const show = (view: Parameters<typeof go>[0]) => () => {
    go(view);
    onSettle();
  };
  return (
    <div className="notice">
      {refusal ? (
        <>
          <span>
            {t('notPosted', { title })} <code>{String(refusal.data['reasonId'])}</code>
          </span>
          {draft && (
            // a corrected ad is another one to the upstream
            <button onClick={show({ name: 'form', draft: { ...draft, idempotencyId: crypto.randomUUID() } })}>
              {t('correctAndPost')}
            </button>
          )}
        </>
      ) : (
        <span>{t(isDone ? TEXTS[kind].done : TEXTS[kind].during, { title })}</span>
      )}
      {isDone && !refusal && <button onClick={show({ name: 'ad', id })}>{t('openAd')}</button>}
      {(isDone || refusal) && <button onClick={onSettle}>{t('dismiss')}</button>}
    </div>
  );
}

/** The event names the ad as the partner's position; it has no `positionProfileId` (interface 13). */
function isRefusalOf({ type, data }: Happening, id: string): boolean {
  return type === 'PositionNotPosted' && data['seekPartnerPositionId'] === id;
}

/** True for an ad that is there although no event was seen: the stream was not open for a while. */
function useIsThere({ kind, id }: Change): boolean {
  const { happenings } = usePlace();
  const ad = kind === 'post' ? { query: PositionProfileDocument, variables: { id } } : undefined;
  const { data } = useQuery(ad, [kind, id], happenings.versionOf());
  return data?.positionProfile != null;
}
