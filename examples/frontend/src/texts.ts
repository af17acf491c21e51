import { createContext, useContext } from 'react';
import { TABLE } from './text-table.ts';

/** The languages of the upstream's texts. */
export const LANGUAGES = { 'en-AU': 'English', 'id-ID': 'Bahasa Indonesia', 'th-TH': 'ไทย' };

/** A text of the page. */
export type TextKey = keyof typeof TABLE;
/** A text in the user's language; `{name}` in it is replaced by the value of that name. */
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

interface Language {
  readonly language: string;
  readonly choose: (language: string) => void;
}

/** Given by the app. */
export const LanguageContext = createContext<Language>({ language: 'en-AU', choose: () => undefined });

/** The texts in the user's language. */
export function useTexts(): Language & { readonly t: Translate } {
  const context = useContext(LanguageContext);
  const column = Object.keys(LANGUAGES).indexOf(context.language);
  const t: Translate = (key, values = {}) =>
    TABLE[key][column]!.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  return { ...context, t };
}

/** The text of one of the upstream's codes; a code that is new to this page stands for itself. */
export function codeText(t: Translate, kind: string, code: string): string {
  const key = `${kind}_${code}`;
  return key in TABLE ? t(key as TextKey) : code;
}

/** The first of the browser's languages that the page has. */
export function preferredLanguage(): string {
  const known = Object.keys(LANGUAGES);
  const primary = (tag: string) => tag.split('-')[0];
  const wanted = navigator.languages.map((tag) => known.find((one) => primary(one) === primary(tag)));
  return wanted.find((one) => one !== undefined) ?? 'en-AU';
}
