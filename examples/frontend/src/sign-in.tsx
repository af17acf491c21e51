import { listHirers } from 'partner-bff-client';
import { Fault } from './page/fault.tsx';
import { useAction } from './page/use-loaded.ts';
import { DEMO_USERS, signIn, type Session, type User } from './session.ts';

/** A choice of demo users, in place of a real sign-in. */
export function SignIn({ onSignedIn }: { onSignedIn: (session: Session) => void }) {
  const { isPending, error, run } = useAction();
  const choose = async (user: User) => {
    const bff = await signIn(user);
    const hirers = [...(await listHirers(bff))].sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
    if (hirers[0]) bff.switchHirer(hirers[0].hirerId);
    onSignedIn({ bff, user, hirers });
  };
  return (
    <main className="narrow stack">
      <h1>Hiring</h1>
      <p>A small hiring product: post ads, read applications. Sign in as one of four made-up users.</p>
      {DEMO_USERS.map((user) => (
        <button key={user.subject} disabled={isPending} onClick={() => run(() => choose(user))}>
          {user.name}
          <small>{user.hirers}</small>
        </button>
      ))}
      <Fault error={error} isHere />
    </main>
  );
}

const nameOf = ({ name, hirerId }: Session['hirers'][number]) => name ?? hirerId;
