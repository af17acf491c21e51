import type { Hirer } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import type { User } from '../session.ts';
import { LANGUAGES, useTexts } from '../texts.ts';
import { Select } from './field.tsx';

/** Who is signed in, for which hirer and in which language. */
export function Header({ user, hirers }: { user: User; hirers: readonly Hirer[] }) {
  const bff = useBff();
  const { t } = useTexts();
  return (
    <header>
      <h1>{t('product')}</h1>
      <div className="bar">
        <span>{user.name}</span>
        <button onClick={() => bff.signOut()}>{t('signOut')}</button>
      </div>
      <Select
        label="hirer"
        value={bff.hirerId ?? ''}
        options={hirers.map(({ hirerId, name }) => [hirerId, name ?? hirerId])}
        onChange={(hirerId) => bff.switchHirer(hirerId)}
      />
      <LanguageChoice />
    </header>
  );
}

/** The languages that the upstream's texts, and ours, are in. */
export function LanguageChoice() {
  const { language, choose } = useTexts();
  return <Select label="language" value={language} options={Object.entries(LANGUAGES)} onChange={choose} />;
}
