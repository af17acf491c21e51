import type { Bff } from 'partner-bff-client';
import { BffProvider } from 'partner-bff-client/react';
import { useEffect, useState } from 'react';
import { SignIn } from './sign-in.tsx';
import type { User } from './session.ts';
import { LanguageContext, preferredLanguage } from './texts.ts';
import { Workplace } from './workplace.tsx';

interface Session {
  readonly bff: Bff;
  readonly user: User;
}

/** The whole page: the sign-in, or what a signed-in user sees. */
export function App() {
  const [session, setSession] = useState<Session>();
  const [language, setLanguage] = useState(preferredLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const open = (next: Session) => {
    // also fires when the user signs out in another tab
    next.bff.signal.addEventListener('abort', () => setSession(undefined));
    setSession(next);
  };
  const choose = (next: string) => {
    setLanguage(next);
    if (session) session.bff.language = next;
  };
  return (
    <LanguageContext value={{ language, choose }}>
      {session ? (
        <BffProvider bff={session.bff}>
          <Workplace user={session.user} />
        </BffProvider>
      ) : (
        <SignIn onSignedIn={open} />
      )}
    </LanguageContext>
  );
}
