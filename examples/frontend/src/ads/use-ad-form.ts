import { useBff } from 'partner-bff-client/react';
import { useMemo, useRef, useState, type FormEvent } from 'react';
import { useSettled } from '../page/lookup.tsx';
import { usePlace, type View } from '../place.ts';
import { faultsOf, subjectOf, type Draft, type FormPart } from './draft.ts';
import { postAd, previewAd, updateAd, withQuestionnaire } from './send-ad.ts';

/** A pause in the typing, before products and questions are asked for. */
const PAUSE_MS = 500;

/** What a form for a draft holds, and what its buttons do. */
export function useAdForm(first: Draft) {
  const bff = useBff();
  const { go, begin, happenings } = usePlace();
  const [draft, setDraft] = useState(first);
  const [previewUrl, setPreviewUrl] = useState<string>();
  const isNew = draft.profileId === undefined;
  const back: View = isNew ? { name: 'ads' } : { name: 'ad', id: draft.profileId };
  const faults = faultsOf(draft);
  const { isTried, run, ...state } = useAttempts(Object.keys(faults).length > 0);
  const set = (change: Partial<Draft>) => {
    setPreviewUrl(undefined);
    setDraft((last) => ({ ...last, ...change }));
  };
  const part: FormPart = { draft, set, faultOf: (name) => (isTried ? faults[name] : undefined) };
  const send = async () => {
    const { last: after } = happenings;
    const title = draft.title.trim();
    if (draft.profileId !== undefined) {
      await updateAd(bff, draft);
      begin({ kind: 'update', id: draft.profileId, title, after });
    } else {
      const whole = await withQuestionnaire(bff, draft);
      setDraft(whole);
      const { profileId: id, openingId } = await postAd(bff, whole);
      begin({ kind: 'post', id, title, after, draft: { ...whole, openingId } });
    }
    go(back);
  };
  return {
    ...state,
    part,
    subject: useSubject(draft),
    isNew,
    previewUrl,
    preview: () => void run(async () => setPreviewUrl(await previewAd(bff, draft))),
    submit: (event: FormEvent) => {
      event.preventDefault();
      void run(send);
    },
    cancel: () => go(back),
  };
}

/** What products and questions are offered for, once the user has stopped typing. */
function useSubject(draft: Draft) {
  const { hirer } = usePlace();
  const { title, location, category } = draft;
  const current = useMemo(() => subjectOf(draft, hirer.hirerId), [title, location, category, hirer]);
  return useSettled(current, PAUSE_MS);
}

/** Does what a button is for once no field has a fault; until then, it leads to the first one. */
function useAttempts(hasFault: boolean) {
  const form = useRef<HTMLFormElement>(null);
  const [isTried, setTried] = useState(false);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (work: () => Promise<void>) => {
    setTried(true);
    setError(undefined);
    if (hasFault) {
      // in the next turn, when the fields are marked
      setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
      return;
    }
    setSending(true);
    await work().catch(setError);
    setSending(false);
  };
  return { form, isTried, isFaulty: isTried && hasFault, isSending, error, run };
}
