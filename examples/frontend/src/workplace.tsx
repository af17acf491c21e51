import { useBff, useHirers } from 'partner-bff-client/react';
import { useEffect } from 'react';
import { Candidates } from './candidates.tsx';
import { Categories } from './categories.tsx';
import { Choices } from './choices.tsx';
import { Events } from './events.tsx';
import { Fault } from './fault.tsx';
import { Positions } from './positions.tsx';

/** The view of a signed-in user: one hirer at a time, in one language. */
export function Workplace() {
  const bff = useBff();
  const { data: hirers = [], error, isLoading, reload } = useHirers();
  const first = hirers[0]?.hirerId;
  useEffect(() => {
    if (bff.hirerId === undefined && first !== undefined) bff.switchHirer(first);
  }, [bff, first]);
  return (
    <>
      <Choices hirers={hirers} />
      <Fault error={error} onRetry={reload} />
      {!isLoading && !error && hirers.length === 0 && (
        <p className="soft">You do not belong to any hirer yet. Ask an administrator to add you.</p>
      )}
      {bff.hirerId !== undefined && (
        <main>
          <Positions />
          <Candidates hirerId={bff.hirerId} />
          <Categories />
          <Events hirers={hirers} />
        </main>
      )}
    </>
  );
}
