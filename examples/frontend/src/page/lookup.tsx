import { useEffect, useId, useState, type KeyboardEvent } from 'react';
import type { Choice } from '../ads/lookups.ts';
import { useTexts } from '../texts.ts';
import type { ControlProps } from './field.tsx';
import { Fault } from './fault.tsx';
import { useLoaded } from './use-loaded.ts';
import type { Bff } from 'partner-bff-client';

/** A pause in the typing. */
const PAUSE_MS = 200;

interface LookupProps<Item extends Choice> {
  readonly control: ControlProps;
  readonly value: Item | undefined;
  readonly onChoose: (item: Item | undefined) => void;
  /** What the text leads to; must not change while the user types. */
  readonly search: (bff: Bff, text: string, signal: AbortSignal) => Promise<readonly Item[]>;
  /** How much must be typed before anything is looked up. */
  readonly charactersMin: number;
}

/** A choice from a list that is looked up as one types (combobox pattern of the ARIA Authoring Practices). */
// eslint-disable-next-line max-lines-per-function -- one widget: field, list and keys share all of its state
export function Lookup<Item extends Choice>(props: LookupProps<Item>) {
  const { control, value, onChoose, search, charactersMin } = props;
  const { t } = useTexts();
  const listId = useId();
  const [text, setText] = useState(value?.label ?? '');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const wanted = useSettled(text.trim(), PAUSE_MS);
  const isReady = isOpen && text !== value?.label && wanted.length >= charactersMin;
  const { data, error, isLoading, reload } = useLoaded(
    async (bff, signal) => (isReady ? search(bff, wanted, signal) : undefined),
    [isReady, wanted, search],
  );
  const items = isReady ? (data ?? []) : [];
  const choose = (item: Item) => {
    setText(item.label);
    setOpen(false);
    onChoose(item);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && items.length > 0) setActive((active + step + items.length) % items.length);
    else if (event.key === 'Enter' && items[active]) choose(items[active]);
    else if (event.key === 'Escape') setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <div className="lookup">
      <input
        {...control}
        role="combobox"
        autoComplete="off"
        aria-autocomplete="list"
        aria-expanded={items.length > 0}
        aria-controls={listId}
        aria-activedescendant={items.length > 0 ? `${listId}-${active}` : undefined}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setOpen(true);
          setActive(0);
          if (value) onChoose(undefined);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <ul id={listId} role="listbox" aria-labelledby={control.id} hidden={items.length === 0}>
        {items.map((item, at) => (
          <li
            key={item.id}
            id={`${listId}-${at}`}
            role="option"
            aria-selected={at === active}
            onMouseDown={(event) => {
              event.preventDefault(); // the field keeps the focus
              choose(item);
            }}
          >
            {item.label}
          </li>
        ))}
      </ul>
      {isReady && isLoading && <small role="status">{t('loading')}</small>}
      {isReady && !isLoading && !error && items.length === 0 && (
        <small role="status">{t('nothingFound')}</small>
      )}
      <Fault error={isReady ? error : undefined} onRetry={reload} />
    </div>
  );
}

/** A value once it has not changed for a while. */
export function useSettled<Value>(value: Value, pauseMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
