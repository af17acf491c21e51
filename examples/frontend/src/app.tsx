import { BffProvider } from 'partner-bff-client/react';
import { useState } from 'react';
import type { Session } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { Workplace } from './workplace.tsx';

/** The whole page: the sign-in, or what a signed-in user sees. */
export function App() {
  const [session, setSession] = useState<Session>();
  const open = (next: Session) => {
    next.bff.signal.addEventListener('abort', () => setSession(undefined));
    setSession(next);
  };
  if (!session) return <SignIn onSignedIn={open} />;
  return (
    <BffProvider bff={session.bff}>
      <Workplace user={session.user} hirers={session.hirers} />
    </BffProvider>
  );
}
