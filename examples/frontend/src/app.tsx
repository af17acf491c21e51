import type { Bff } from 'partner-bff-client';
import { BffProvider } from 'partner-bff-client/react';
import { useState } from 'react';
import { SignIn } from './sign-in.tsx';
import { Workplace } from './workplace.tsx';

/** The whole page: the sign-in, or what a signed-in user sees. */
export function App() {
  const [bff, setBff] = useState<Bff>();
  const open = (next: Bff) => {
    // also fires when the user signs out in another tab
    next.signal.addEventListener('abort', () => setBff(undefined));
    setBff(next);
  };
  if (!bff) return <SignIn onSignedIn={open} />;
  return (
    <BffProvider bff={bff}>
      <Workplace />
    </BffProvider>
  );
}
