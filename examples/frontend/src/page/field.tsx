import { useId, type ReactNode } from 'react';
import { useTexts, type TextKey } from '../texts.ts';

/** What a control of a field must carry. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

interface Labelled {
  readonly label: TextKey;
  readonly fault?: TextKey | undefined;
  readonly hint?: string | undefined;
}

/** A control with its label, a hint, and what is wrong with it. */
export function Field({
  label,
  fault,
  hint,
  children,
}: Labelled & { readonly children: (control: ControlProps) => ReactNode }) {
  const { t } = useTexts();
  const id = useId();
  const note = fault ? t(fault) : hint;
  return (
    <div className="field">
      <label htmlFor={id}>{t(label)}</label>
      {children({ id, 'aria-describedby': note && `${id}-note`, 'aria-invalid': !!fault })}
      {note && (
        <small id={`${id}-note`} className={fault && 'bad'}>
          {note}
        </small>
      )}
    </div>
  );
}

interface Valued extends Labelled {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A choice of a few: each value with its text. */
export function Select({
  value,
  onChange,
  options,
  ...field
}: Valued & { readonly options: readonly (readonly [value: string, text: string])[] }) {
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          {options.every(([known]) => known !== value) && <option value={value} hidden />}
          {options.map(([known, text]) => (
            <option key={known} value={known}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A text of one line, or of several. */
export function TextInput({ value, onChange, rows = 1, ...field }: Valued & { readonly rows?: number }) {
  const props = {
    value,
    autoComplete: 'off',
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  };
  return (
    <Field {...field}>
      {(control) =>
        rows > 1 ? <textarea rows={rows} {...props} {...control} /> : <input {...props} {...control} />
      }
    </Field>
  );
}
