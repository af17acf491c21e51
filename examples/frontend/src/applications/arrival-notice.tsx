import { useEffect, useState } from 'react';
import { Fault } from '../page/fault.tsx';
import { usePlace } from '../place.ts';
import { adIdOf } from './use-arrivals.ts';

/** Tells of the latest application, until it is opened, from wherever, or dismissed. */
export function ArrivalNotice({ openId }: { openId: string | undefined }) {
  const { arrivals, go } = usePlace();
  const [seen, setSeen] = useState<readonly (string | undefined)[]>([]);
  useEffect(() => setSeen((last) => [...last, openId]), [openId]);
  const fresh = arrivals.all.filter(({ profileId }) => !seen.includes(profileId.value));
  const [latest] = fresh;
  const dismiss = () => setSeen(arrivals.all.map(({ profileId }) => profileId.value));
  const open = () => {
    const adId = adIdOf(latest!);
    dismiss();
    const back = adId === undefined ? ({ name: 'ads' } as const) : ({ name: 'ad', id: adId } as const);
    go({ name: 'application', id: latest!.profileId.value, back });
  };
  return (
    <div role="status">
      {latest && (
        <div className="notice">
          <span>
            {latest.candidate.person.name.formattedName} applied for “
            {latest.associatedPositionProfile?.positionTitle}”.
            {fresh.length > 1 && ` And ${fresh.length - 1} more.`}
          </span>
          <button onClick={open}>Open application</button>
          <button onClick={dismiss}>Dismiss</button>
        </div>
      )}
      <Fault error={arrivals.error} onRetry={arrivals.reload} />
    </div>
  );
}
