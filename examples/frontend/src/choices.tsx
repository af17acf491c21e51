import type { Hirer } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import { LANGUAGES } from './session.ts';

/** Hirer, language and sign-out. */
export function Choices({ hirers }: { hirers: readonly Hirer[] }) {
  const bff = useBff();
  const isListed = hirers.some(({ hirerId }) => hirerId === bff.hirerId);
  return (
    <header>
      <h1>Applicants</h1>
      <label>
        Hirer
        <select value={bff.hirerId} onChange={({ target }) => bff.switchHirer(target.value)}>
          {!isListed && (
            <option value={bff.hirerId} hidden>
              Choose one
            </option>
          )}
          {hirers.map(({ hirerId, name }) => (
            <option key={hirerId} value={hirerId}>
              {name ?? hirerId}
            </option>
          ))}
        </select>
      </label>
      <label>
        Language
        <select value={bff.language} onChange={({ target }) => (bff.language = target.value)}>
          {Object.entries(LANGUAGES).map(([tag, name]) => (
            <option key={tag} value={tag}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button onClick={() => bff.signOut()}>Sign out</button>
    </header>
  );
}
