import { useId, type ComponentProps, type ReactNode } from 'react';

interface Labelled {
  readonly label: string;
  readonly hint?: string;
}

/** A control with its label and a hint. Its rules are the browser's own: `required`, `maxLength`, `min`. */
function Field({
  label,
  hint,
  children,
}: Labelled & { children: (control: { id: string; 'aria-describedby'?: string }) => ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, ...(hint && { 'aria-describedby': `${id}-hint` }) })}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** A text of one line, or a number. */
export function Input({ label, hint, ...input }: Labelled & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint}>
      {(control) => <input autoComplete="off" {...input} {...control} />}
    </Field>
  );
}

/** A text of several lines. */
export function TextArea({ label, hint, ...area }: Labelled & ComponentProps<'textarea'>) {
  return (
    <Field label={label} hint={hint}>
      {(control) => <textarea {...area} {...control} />}
    </Field>
  );
}

/** A choice of a few: each value with its text, or options of your own. */
export function Select({
  label,
  hint,
  options = [],
  children,
  ...select
}: Labelled & ComponentProps<'select'> & { readonly options?: readonly (readonly [string, string])[] }) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <select {...select} {...control}>
          {children}
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
