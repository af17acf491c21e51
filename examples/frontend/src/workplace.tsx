import { listHirers, type Hirer } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Ad } from './ads/ad.tsx';
import { Ads } from './ads/ads.tsx';
import { UnderWay } from './ads/under-way.tsx';
import { Arrivals } from './applications/arrivals.tsx';
import { Boundary } from './page/boundary.tsx';
import { Fault, TroublesProvider } from './page/fault.tsx';
import { Header } from './page/header.tsx';
import { PlaceContext, type Change, type View } from './place.ts';
import type { User } from './session.ts';
import { useTexts } from './texts.ts';
import { useArrivals } from './applications/use-arrivals.ts';
import { useHappenings } from './use-happenings.ts';

// What the first view does not need comes after it.
const LATER = {
  AdForm: () => import('./ads/ad-form.tsx'),
  Application: () => import('./applications/application.tsx'),
};
const AdForm = lazy(async () => ({ default: (await LATER.AdForm()).AdForm }));
const Application = lazy(async () => ({ default: (await LATER.Application()).Application }));

/** The view of a signed-in user: one hirer at a time, in one language. */
export function Workplace({ user }: { user: User }) {
  const bff = useBff();
  const { t } = useTexts();
  const { data: hirers = [], error, isLoading, reload } = useHirers();
  const first = hirers[0]?.hirerId;
  useEffect(() => {
    if (bff.hirerId === undefined && first !== undefined) bff.switchHirer(first);
  }, [bff, first]);
  const hirer = hirers.find(({ hirerId }) => hirerId === bff.hirerId);
  return (
    <>
      <Header user={user} hirers={hirers} />
      {/* by its key, everything of a hirer is gone as soon as another one is chosen */}
      <TroublesProvider key={bff.hirerId} hirer={hirer?.name ?? ''}>
        <Fault error={error} onRetry={reload} />
        {!isLoading && !error && hirers.length === 0 && <p className="soft">{t('noHirer')}</p>}
        {hirer && <Place hirer={hirer} user={user} />}
      </TroublesProvider>
    </>
  );
}

/** The user's hirers; the list stays while it comes in another language. */
function useHirers() {
  const bff = useBff();
  const { language } = bff;
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{ data?: readonly Hirer[]; error?: unknown; isLoading: boolean }>({
    isLoading: true,
  });
  useEffect(() => {
    const controller = new AbortController();
    const show = (next: { data?: readonly Hirer[]; error?: unknown }) => {
      if (!controller.signal.aborted) setState({ ...next, isLoading: false });
    };
    listHirers(bff, { signal: controller.signal }).then(
      (data) => show({ data }),
      (error: unknown) => show({ error }),
    );
    return () => controller.abort();
  }, [bff, language, turn]);
  return { ...state, reload: () => setTurn((last) => last + 1) };
}

/** All that is shown, typed and remembered of one hirer. */
function Place({ hirer, user }: { hirer: Hirer; user: User }) {
  const { t } = useTexts();
  const [view, setView] = useState<View>({ name: 'ads' });
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const happenings = useHappenings(hirer.hirerId);
  const arrivals = useArrivals(hirer.hirerId, happenings);
  useEffect(() => {
    for (const load of Object.values(LATER)) load().catch(() => undefined); // again when it is opened
  }, []);
  const go = (next: View) => {
    setView(next);
    window.scrollTo(0, 0);
  };
  const place = {
    hirer,
    user,
    happenings,
    arrivals,
    go,
    begin: (change: Change) => setChanges((last) => [...last.filter(({ id }) => id !== change.id), change]),
  };
  const settle = (change: Change) => setChanges((last) => last.filter((other) => other !== change));
  return (
    <PlaceContext value={place}>
      <p role="status" className="soft live" data-open={happenings.isOpen}>
        {t(happenings.isOpen ? 'live' : 'connecting')}
      </p>
      <Fault error={happenings.isOpen ? undefined : happenings.error} />
      <Arrivals openId={view.name === 'application' ? view.id : undefined} />
      <UnderWay changes={changes} onSettle={settle} />
      <main>
        <Boundary key={view.name}>
          <Suspense fallback={<p role="status">{t('loading')}</p>}>
            <Shown view={view} />
          </Suspense>
        </Boundary>
      </main>
    </PlaceContext>
  );
}

function Shown({ view }: { view: View }) {
  switch (view.name) {
    case 'ads':
      return <Ads />;
    case 'ad':
      return <Ad key={view.id} id={view.id} />;
    case 'form':
      return <AdForm draft={view.draft} />;
    case 'application':
      return <Application key={view.id} id={view.id} back={view.back} />;
  }
}
