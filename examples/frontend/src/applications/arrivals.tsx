import { useEffect, useState } from 'react';
import { Fault } from '../page/fault.tsx';
import { usePlace } from '../place.ts';
import { useTexts } from '../texts.ts';
import { adIdOf } from './use-arrivals.ts';

/** Tells of the latest application, until it is opened, from wherever, or dismissed. */
export function Arrivals({ openId }: { openId: string | undefined }) {
  const { t } = useTexts();
  const { arrivals, go } = usePlace();
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (openId !== undefined) setSeen((last) => new Set(last).add(openId));
  }, [openId]);
  const fresh = arrivals.all.filter(({ profileId }) => !seen.has(profileId.value));
  const [latest] = fresh;
  const dismiss = () => setSeen(new Set(arrivals.all.map(({ profileId }) => profileId.value)));
  const open = () => {
    const ad = adIdOf(latest!);
    dismiss();
    go({
      name: 'application',
      id: latest!.profileId.value,
      back: ad === undefined ? { name: 'ads' } : { name: 'ad', id: ad },
    });
  };
  return (
    <div role="status" className="notices">
      {latest && (
        <div className="notice">
          <span>
            {t('applicationCame', {
              name: latest.candidate.person.name.formattedName,
              title: latest.associatedPositionProfile?.positionTitle ?? '',
            })}
            {fresh.length > 1 && ` ${t('andMore', { count: fresh.length - 1 })}`}
          </span>
          <button onClick={open}>{t('openApplication')}</button>
          <button onClick={dismiss}>{t('dismiss')}</button>
        </div>
      )}
      <Fault error={arrivals.error} onRetry={arrivals.reload} />
    </div>
  );
}
