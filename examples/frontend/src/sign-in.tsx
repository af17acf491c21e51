import type { Bff } from 'partner-bff-client';
import { useState, useTransition } from 'react';
import { LanguageChoice } from './page/header.tsx';
import { DEMO_USERS, signIn, type User } from './session.ts';
import { useTexts } from './texts.ts';

/** A choice of demo users, in place of a real sign-in. */
export function SignIn({ onSignedIn }: { onSignedIn: (session: { bff: Bff; user: User }) => void }) {
  const { t, language } = useTexts();
  const [isPending, startTransition] = useTransition();
  const [isRefused, setRefused] = useState(false);
  const choose = (user: User) =>
    startTransition(async () => {
      setRefused(false);
      try {
        onSignedIn({ bff: await signIn(user, language), user });
      } catch {
        setRefused(true);
      }
    });
  return (
    <main className="narrow stack">
      <h1>{t('product')}</h1>
      <p>{t('chooseUser')}</p>
      {DEMO_USERS.map((user) => (
        <button key={user.subject} disabled={isPending} onClick={() => choose(user)}>
          {user.name}
        </button>
      ))}
      {isRefused && (
        <p role="alert" className="fault">
          {t('signInFailed')}
        </p>
      )}
      <LanguageChoice />
    </main>
  );
}
