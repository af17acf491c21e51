import type { Bff } from 'partner-bff-client';
import { useCallback } from 'react';
import { PayTypesDocument } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { Field, Select, TextInput } from '../page/field.tsx';
import { Lookup } from '../page/lookup.tsx';
import { useQuery } from '../page/use-loaded.ts';
import { codeText, useTexts } from '../texts.ts';
import { CHARACTERS_MAX, WORK_TYPES, type FormPart } from './draft.ts';
import { findCategories, findLocations, SCHEME_ID, suggestCategories } from './lookups.ts';

/** What the position is, where, what it pays, and how the ad reads. */
export function PositionFields(part: FormPart) {
  const { t } = useTexts();
  return (
    <>
      <fieldset>
        <legend>{t('position')}</legend>
        <Text {...part} name="title" />
        <Place {...part} />
        <Select
          label="workType"
          fault={part.faultOf('workType')}
          value={part.draft.workType}
          options={WORK_TYPES.map((code) => [code, codeText(t, 'work', code)])}
          onChange={(workType) => part.set({ workType })}
        />
        <Text {...part} name="reference" />
      </fieldset>
      <fieldset>
        <legend>{t('pay')}</legend>
        <Pay {...part} />
      </fieldset>
      <fieldset>
        <legend>{t('texts')}</legend>
        <Text {...part} name="summary" />
        <Bullets {...part} />
        <Text {...part} name="details" rows={10} />
      </fieldset>
    </>
  );
}

type TextName = 'title' | 'summary' | 'details' | 'reference' | 'payText';

function Text({ name, rows, draft, set, faultOf }: FormPart & { name: TextName; rows?: number }) {
  const { t } = useTexts();
  return (
    <TextInput
      label={name}
      rows={rows ?? 1}
      fault={faultOf(name)}
      hint={t('charactersOf', { count: draft[name].length, most: CHARACTERS_MAX[name] })}
      value={draft[name]}
      onChange={(text) => set({ [name]: text })}
    />
  );
}

/** Location and category: categories are those of the location, and before a letter is typed, those that suit the title. */
function Place({ draft, set, faultOf }: FormPart) {
  const { t } = useTexts();
  const locationId = draft.location?.id;
  const title = draft.title.trim();
  const search = useCallback(
    async (bff: Bff, text: string, signal: AbortSignal) => {
      if (locationId === undefined) return [];
      return text === '' && title !== ''
        ? suggestCategories(bff, title, locationId, signal)
        : findCategories(bff, text, locationId, signal);
    },
    [locationId, title],
  );
  return (
    <>
      <Field label="location" fault={faultOf('location')} hint={t('typeToSearch')}>
        {(control) => (
          <Lookup
            control={control}
            value={draft.location}
            search={findLocations}
            charactersMin={2}
            onChoose={(location) => set({ location, currency: location?.currencies[0] ?? draft.currency })}
          />
        )}
      </Field>
      <Field
        label="category"
        fault={faultOf('category')}
        hint={t(locationId === undefined ? 'locationFirst' : 'typeToSearch')}
      >
        {(control) => (
          <Lookup
            control={control}
            value={draft.category}
            search={search}
            charactersMin={locationId === undefined ? Infinity : 0}
            onChoose={(category) => set({ category })}
          />
        )}
      </Field>
    </>
  );
}

function Pay(part: FormPart) {
  const { draft, set, faultOf } = part;
  const { data, error, reload } = useQuery(
    { query: PayTypesDocument, variables: { schemeId: SCHEME_ID } },
    [],
  );
  const types = data?.payTypes ?? [];
  return (
    <>
      <Select
        label="payType"
        value={draft.payType}
        options={types.map((type) => [`${type.basisCode} ${type.intervalCode}`, type.label])}
        onChange={(payType) => set({ payType })}
      />
      <Fault error={error} onRetry={reload} />
      <Select
        label="currency"
        fault={faultOf('currency')}
        value={draft.currency}
        options={(draft.location?.currencies ?? []).map((code) => [code, code])}
        onChange={(currency) => set({ currency })}
      />
      {(['payMin', 'payMax'] as const).map((name) => (
        <TextInput
          key={name}
          label={name}
          fault={faultOf(name)}
          value={draft[name]}
          onChange={(amount) => set({ [name]: amount.trim() })}
        />
      ))}
      <Text {...part} name="payText" />
    </>
  );
}

function Bullets({ draft, set, faultOf }: FormPart) {
  const { t } = useTexts();
  const change = (at: number, text: string) =>
    set({ bullets: draft.bullets.map((old, index) => (index === at ? text : old)) });
  return (
    <Field label="bullets" fault={faultOf('bullets')}>
      {(control) =>
        draft.bullets.map((text, at) => (
          <input
            key={at}
            {...control}
            id={at === 0 ? control.id : `${control.id}-${at}`}
            aria-label={`${t('bullets')} ${at + 1}`}
            value={text}
            onChange={({ target }) => change(at, target.value)}
          />
        ))
      }
    </Field>
  );
}
