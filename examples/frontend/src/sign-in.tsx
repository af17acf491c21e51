import type { Bff } from 'partner-bff-client';
import { useActionState } from 'react';
import { Fault } from './fault.tsx';
import { DEMO_USERS, signIn } from './session.ts';

/** A choice of demo users, in place of a real sign-in. */
export function SignIn({ onSignedIn }: { onSignedIn: (bff: Bff) => void }) {
  const [error, submit, isPending] = useActionState(async (_last: unknown, form: FormData) => {
    try {
      onSignedIn(await signIn(form.get('subject') as string));
      return undefined;
    } catch (fault) {
      return fault;
    }
  }, undefined);
  return (
    <main className="narrow">
      <h1>Applicants</h1>
      <p>An example on the Partner BFF. Choose who you are.</p>
      <form action={submit}>
        {DEMO_USERS.map(({ subject, name, about }) => (
          <button key={subject} name="subject" value={subject} disabled={isPending}>
            {name} <small>{about}</small>
          </button>
        ))}
      </form>
      <Fault error={error} />
    </main>
  );
}
