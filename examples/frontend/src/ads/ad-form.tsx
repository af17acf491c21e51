import { useBff } from 'partner-bff-client/react';
import { useMemo, useRef, useState, type FormEvent } from 'react';
import { Fault } from '../page/fault.tsx';
import { Select, TextInput } from '../page/field.tsx';
import { useSettled } from '../page/lookup.tsx';
import { usePlace, type View } from '../place.ts';
import { codeText, useTexts } from '../texts.ts';
import {
  CONTACT_ROLES,
  faultsOf,
  subjectOf,
  type Draft,
  type Field as Name,
  type FormPart,
} from './draft.ts';
import { PositionFields } from './position-fields.tsx';
import { ProductChoice } from './product-choice.tsx';
import { QuestionChoice } from './question-choice.tsx';
import { postAd, previewAd, updateAd, withQuestionnaire } from './send-ad.ts';

/** A pause in the typing, before products and questions are asked for. */
const PAUSE_MS = 500;

/** A new ad, or changes to a live one. */
export function AdForm({ draft: first }: { draft: Draft }) {
  const { t } = useTexts();
  const bff = useBff();
  const { hirer, go, begin, happenings } = usePlace();
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(first);
  const [isTried, setTried] = useState(false);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const [preview, setPreview] = useState<string>();
  const isNew = draft.profileId === undefined;
  const faults = faultsOf(draft);
  const set = (change: Partial<Draft>) => {
    setPreview(undefined);
    setDraft((last) => ({ ...last, ...change }));
  };
  const part = { draft, set, faultOf: (name: Name) => (isTried ? faults[name] : undefined) };
  const { title, location, category } = draft;
  const current = useMemo(() => subjectOf(draft, hirer.hirerId), [title, location, category, hirer]);
  const subject = useSettled(current, PAUSE_MS);
  const back: View = isNew ? { name: 'ads' } : { name: 'ad', id: draft.profileId };

  /** Does something with a draft that has no fault; else leads to the first one. */
  const run = async (work: () => Promise<void>) => {
    setTried(true);
    setError(undefined);
    if (Object.keys(faults).length > 0) {
      // in the next turn, when the fields are marked
      setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
      return;
    }
    setSending(true);
    await work().catch(setError);
    setSending(false);
  };
  const showPreview = () => run(async () => setPreview(await previewAd(bff, draft)));
  const send = () =>
    run(async () => {
      const { last: after } = happenings;
      if (!isNew) {
        await updateAd(bff, draft);
        begin({ kind: 'update', id: draft.profileId, title: title.trim(), after });
      } else {
        const whole = await withQuestionnaire(bff, draft);
        setDraft(whole);
        const { profileId: id, openingId } = await postAd(bff, whole);
        begin({ kind: 'post', id, title: title.trim(), after, draft: { ...whole, openingId } });
      }
      go(back);
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  return (
    <form ref={form} noValidate onSubmit={submit} className="stack" aria-labelledby="form">
      <h2 id="form">{t(isNew ? 'newAd' : 'changeAd')}</h2>
      <PositionFields {...part} />
      {isNew && (
        <fieldset>
          <legend>{t('questions')}</legend>
          <QuestionChoice {...part} subject={subject} />
        </fieldset>
      )}
      <fieldset>
        <legend>{t('product_')}</legend>
        <ProductChoice {...part} subject={subject} />
      </fieldset>
      {isNew && <ContactFields {...part} />}
      {isTried && Object.keys(faults).length > 0 && (
        <p role="alert" className="bad">
          {t('mendFields')}
        </p>
      )}
      <Fault error={error} isHere />
      {preview !== undefined && (
        <p role="status">
          <a href={preview} target="_blank" rel="noopener noreferrer">
            {t('openPreview')}
          </a>
        </p>
      )}
      <div className="bar">
        <button className="main" disabled={isSending}>
          {t(isSending ? 'sending' : isNew ? 'post' : 'save')}
        </button>
        <button type="button" disabled={isSending} onClick={() => void showPreview()}>
          {t('preview')}
        </button>
        <button type="button" onClick={() => go(back)}>
          {t('cancel')}
        </button>
      </div>
    </form>
  );
}

/** Whom the upstream may ask about the opening; candidates do not see them. */
function ContactFields({ draft, set, faultOf }: FormPart) {
  const { t } = useTexts();
  return (
    <fieldset>
      <legend>{t('contact')}</legend>
      {(['contactName', 'contactEmail'] as const).map((name) => (
        <TextInput
          key={name}
          label={name}
          fault={faultOf(name)}
          value={draft[name]}
          onChange={(text) => set({ [name]: text })}
        />
      ))}
      <Select
        label="contactRole"
        value={draft.contactRole}
        options={CONTACT_ROLES.map((code) => [code, codeText(t, 'role', code)])}
        onChange={(contactRole) => set({ contactRole })}
      />
    </fieldset>
  );
}
