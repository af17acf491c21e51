import { Fault } from '../page/fault.tsx';
import { Select, TextInput } from '../page/field.tsx';
import { codeText, useTexts } from '../texts.ts';
import { CONTACT_ROLES, type Draft, type FormPart } from './draft.ts';
import { PositionFields } from './position-fields.tsx';
import { ProductChoice } from './product-choice.tsx';
import { QuestionChoice } from './question-choice.tsx';
import { useAdForm } from './use-ad-form.ts';

/** A new ad, or changes to a live one. */
export function AdForm({ draft: first }: { draft: Draft }) {
  const { t } = useTexts();
  const { form, part, subject, isNew, isFaulty, isSending, error, previewUrl, ...on } = useAdForm(first);
  return (
    <form ref={form} noValidate onSubmit={on.submit} className="stack" aria-labelledby="form">
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
      {isFaulty && (
        <p role="alert" className="bad">
          {t('fieldsHaveFaults')}
        </p>
      )}
      <Fault error={error} isHere />
      {previewUrl !== undefined && (
        <p role="status">
          <a href={previewUrl} target="_blank" rel="noopener noreferrer">
            {t('openPreview')}
          </a>
        </p>
      )}
      <div className="bar">
        <button className="main" disabled={isSending}>
          {t(isSending ? 'sending' : isNew ? 'post' : 'save')}
        </button>
        <button type="button" disabled={isSending} onClick={on.preview}>
          {t('preview')}
        </button>
        <button type="button" onClick={on.cancel}>
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
