import type { BffEvent } from 'partner-bff-client/events';
import { PositionProfileDocument } from '../operations.ts';
import { useQuery } from '../page/use-loaded.ts';
import { usePlace, type Posting } from '../place.ts';

interface PostingsProps {
  readonly postings: readonly Posting[];
  readonly onDismiss: (id: string) => void;
}

/** Ads that were sent, until an event says that they are posted, or why not. */
export function Postings({ postings, onDismiss }: PostingsProps) {
  return (
    <div role="status">
      {postings.map((posting) => (
        <Progress key={posting.id} posting={posting} onDismiss={() => onDismiss(posting.id)} />
      ))}
    </div>
  );
}

function Progress({ posting: { id, draft }, onDismiss }: { posting: Posting; onDismiss: () => void }) {
  const { happenings, go } = usePlace();
  const refusal = happenings.events.find((event) => isRefusalOf(event, id));
  // asked for with each event, and after a break of the stream, in which an event may have been missed
  const query = { query: PositionProfileDocument, variables: { id } };
  const { data } = useQuery(query, [id], happenings.versionOf('PositionProfilePosted'));
  const isPosted = !refusal && data?.positionProfile != null;
  const show = (view: Parameters<typeof go>[0]) => () => {
    go(view);
    onDismiss();
  };
  // a corrected ad is another one to the upstream
  const corrected = { ...draft, idempotencyId: crypto.randomUUID() };
  return (
    <div className="notice">
      {!isPosted && !refusal && <span>Posting “{draft.title}”…</span>}
      {isPosted && (
        <>
          <span>“{draft.title}” is posted.</span>
          <button onClick={show({ name: 'ad', id })}>Open ad</button>
        </>
      )}
      {refusal && (
        <>
          <span>
            “{draft.title}” was not posted. The reason given: <code>{String(refusal.data['reasonId'])}</code>
          </span>
          <button onClick={show({ name: 'form', draft: corrected })}>Correct it</button>
        </>
      )}
      {(isPosted || refusal) && <button onClick={onDismiss}>Dismiss</button>}
    </div>
  );
}

/** The event names the ad as the partner's position; it has no `positionProfileId` (interface 13). */
function isRefusalOf({ type, data }: BffEvent, id: string): boolean {
  return type === 'PositionNotPosted' && data['seekPartnerPositionId'] === id;
}
