import type { Hirer } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import { useState } from 'react';
import { AdForm } from './ads/ad-form.tsx';
import { Ad } from './ads/ad.tsx';
import { Ads } from './ads/ads.tsx';
import { Postings } from './ads/postings.tsx';
import { Application } from './applications/application.tsx';
import { ArrivalNotice } from './applications/arrival-notice.tsx';
import { useArrivals } from './applications/use-arrivals.ts';
import { Fault, Troubles } from './page/fault.tsx';
import { Select } from './page/field.tsx';
import { PlaceContext, type Posting, type View } from './place.ts';
import { LANGUAGES, type User } from './session.ts';
import { useHappenings } from './use-happenings.ts';

interface WorkplaceProps {
  readonly user: User;
  readonly hirers: readonly Hirer[];
}

/** The view of a signed-in user: one hirer at a time. */
export function Workplace({ user, hirers }: WorkplaceProps) {
  const bff = useBff();
  const hirer = hirers.find(({ hirerId }) => hirerId === bff.hirerId);
  return (
    <>
      <Header user={user} hirers={hirers} />
      {hirer ? (
        // by its key, everything of a hirer is gone as soon as another one is chosen
        <Troubles key={hirer.hirerId}>
          <HirerView hirer={hirer} user={user} />
        </Troubles>
      ) : (
        <main className="narrow stack">
          <h2>No hirer yet</h2>
          <p>You do not belong to any hirer yet. Ask an administrator to add you, then sign in again.</p>
        </main>
      )}
    </>
  );
}

/** Who is signed in, for which hirer, and the language of the upstream's texts. */
function Header({ user, hirers }: WorkplaceProps) {
  const bff = useBff();
  return (
    <header>
      <h1>Hiring</h1>
      <div className="bar">
        <span>{user.name}</span>
        <button onClick={() => bff.signOut()}>Sign out</button>
      </div>
      {hirers.length > 0 && (
        <Select
          label="Hirer"
          value={bff.hirerId}
          options={hirers.map(({ hirerId, name }) => [hirerId, name ?? hirerId])}
          onChange={({ target }) => bff.switchHirer(target.value)}
        />
      )}
      <Select
        label="Data language"
        value={bff.language}
        options={Object.entries(LANGUAGES)}
        onChange={({ target }) => {
          bff.language = target.value;
        }}
      />
    </header>
  );
}

/** All that is shown, typed and remembered of one hirer. */
function HirerView({ hirer, user }: { hirer: Hirer; user: User }) {
  const [view, setView] = useState<View>({ name: 'ads' });
  const [postings, setPostings] = useState<readonly Posting[]>([]);
  const happenings = useHappenings(hirer.hirerId);
  const arrivals = useArrivals(happenings);
  const go = (next: View) => {
    setView(next);
    window.scrollTo(0, 0);
  };
  const drop = (id: string) => setPostings((last) => last.filter((other) => other.id !== id));
  const follow = (posting: Posting) => setPostings((last) => [...last, posting]);
  return (
    <PlaceContext value={{ hirer, user, happenings, arrivals, go, follow }}>
      <p role="status" className="soft live" data-open={happenings.isOpen}>
        {happenings.isOpen ? 'Live updates' : 'Connecting…'}
      </p>
      <Fault error={happenings.isOpen ? undefined : happenings.error} />
      <ArrivalNotice openId={view.name === 'application' ? view.id : undefined} />
      <Postings postings={postings} onDismiss={drop} />
      <main>
        <Shown view={view} />
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
