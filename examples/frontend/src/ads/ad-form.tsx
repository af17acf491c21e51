import { useBff } from 'partner-bff-client/react';
import { useState, type FormEvent } from 'react';
import { WORK_TYPES, wordsOf } from '../codes.ts';
import { JobCategoriesDocument, PayTypesDocument } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { Input, Select, TextArea } from '../page/field.tsx';
import { useAction, useQuery } from '../page/use-loaded.ts';
import { usePlace } from '../place.ts';
import { CHARACTERS_MAX, type Draft } from './draft.ts';
import { htmlOfText } from './html.ts';
import { LocationField, SCHEME_ID, type LocationChoice } from './location-field.tsx';
import { postAd } from './post-ad.ts';
import { ProductChoice } from './product-choice.tsx';

/** A new ad. The browser checks the upstream's rules, so that most faults are told before anything is sent. */
export function AdForm({ draft: first }: { draft: Draft }) {
  const bff = useBff();
  const { user, go, follow } = usePlace();
  const [draft, setDraft] = useState(first);
  const { isPending, error, run } = useAction();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const whole = withFieldsOf(event.currentTarget, draft);
    run(async () => {
      follow({ id: await postAd(bff, whole, user.name), draft: whole });
      go({ name: 'ads' });
    });
  };
  return (
    <form
      className="stack"
      aria-labelledby="form"
      onChange={({ currentTarget }) => setDraft((last) => withFieldsOf(currentTarget, last))}
      onSubmit={submit}
    >
      <h2 id="form">New ad</h2>
      <PositionFields draft={draft} onLocation={(location) => setDraft((last) => ({ ...last, location }))} />
      <PayFields draft={draft} />
      <TextFields draft={draft} />
      <ProductChoice draft={draft} />
      <Fault error={error} isHere />
      <div className="bar">
        <button className="main" disabled={isPending}>
          {isPending ? 'Sending…' : 'Post ad'}
        </button>
        <button type="button" onClick={() => go({ name: 'ads' })}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** The draft with what the fields hold; they are named as its members. */
function withFieldsOf(form: HTMLFormElement, draft: Draft): Draft {
  return { ...draft, ...(Object.fromEntries(new FormData(form)) as Partial<Draft>) };
}

interface PositionFieldsProps {
  readonly draft: Draft;
  readonly onLocation: (location: LocationChoice | undefined) => void;
}

/** What the position is, and where. Categories are those of the location, in the user's language. */
function PositionFields({ draft, onLocation }: PositionFieldsProps) {
  const positionLocation = draft.location && [draft.location.id];
  const variables = positionLocation && { schemeId: SCHEME_ID, positionProfile: { positionLocation } };
  const query = variables && { query: JobCategoriesDocument, variables };
  const { data, error, reload } = useQuery(query, [draft.location?.id]);
  return (
    <fieldset>
      <legend>Position</legend>
      <Input
        label="Title"
        name="title"
        defaultValue={draft.title}
        required
        maxLength={CHARACTERS_MAX.title}
      />
      <LocationField value={draft.location} onChoose={onLocation} />
      <Select
        key={data ? 'known' : 'unknown'}
        label="Category"
        name="categoryId"
        defaultValue={draft.categoryId}
        required
        hint={data ? undefined : 'Choose a location first'}
      >
        <option value="">Choose one</option>
        {data?.jobCategories.map(({ id, name, children }) => (
          <optgroup key={id.value} label={name}>
            {children?.map((child) => (
              <option key={child.id.value} value={child.id.value}>
                {child.name}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
      <Select
        label="Work type"
        name="workType"
        defaultValue={draft.workType}
        options={WORK_TYPES.map((code) => [code, wordsOf(code)])}
      />
      <Fault error={error} onRetry={reload} />
    </fieldset>
  );
}

/** The pay, in the currency of the location. */
function PayFields({ draft }: { draft: Draft }) {
  const query = { query: PayTypesDocument, variables: { schemeId: SCHEME_ID } };
  const { data, error, reload } = useQuery(query, []);
  const [currency] = draft.location?.currencies ?? [];
  return (
    <fieldset>
      <legend>Pay{currency && `, in ${currency}`}</legend>
      <Select
        key={data ? 'known' : 'unknown'}
        label="Pay type"
        name="payType"
        defaultValue={draft.payType}
        required
        options={data?.payTypes.map((type) => [`${type.basisCode} ${type.intervalCode}`, type.label])}
      />
      <Input
        label="From"
        name="payMin"
        type="number"
        step="any"
        min="0.01"
        required
        defaultValue={draft.payMin}
      />
      <Input
        label="To (optional)"
        name="payMax"
        type="number"
        step="any"
        min={draft.payMin}
        defaultValue={draft.payMax}
      />
      <Fault error={error} onRetry={reload} />
    </fieldset>
  );
}

/** How the ad reads, and whom the upstream may ask about it; candidates do not see the address. */
function TextFields({ draft }: { draft: Draft }) {
  return (
    <fieldset className="wide">
      <legend>Text</legend>
      <Input
        label="Summary"
        name="summary"
        defaultValue={draft.summary}
        required
        maxLength={CHARACTERS_MAX.summary}
      />
      <TextArea
        label="Details"
        name="details"
        rows={8}
        defaultValue={draft.details}
        required
        onInput={({ currentTarget }) => {
          const isTooLong = htmlOfText(currentTarget.value).length > CHARACTERS_MAX.details;
          currentTarget.setCustomValidity(isTooLong ? 'This is too long.' : '');
        }}
      />
      <Input label="Your email address" name="email" type="email" defaultValue={draft.email} required />
    </fieldset>
  );
}
