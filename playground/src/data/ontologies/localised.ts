/** The locales of interface.md, Content localisation; the first is what everything falls back to. */
export const LOCALES = ['en-AU', 'id-ID', 'th-TH'] as const;
/** One of the {@link LOCALES}. */
export type Locale = (typeof LOCALES)[number];

/** One text in every language. */
export type Localised = Readonly<Record<Locale, string>>;

/** A text that is the same in every language, such as a proper name. */
export function everywhere(text: string): Localised {
  return { 'en-AU': text, 'id-ID': text, 'th-TH': text };
}

/** A text in every language. */
export function localised(en: string, id: string, th: string): Localised {
  return { 'en-AU': en, 'id-ID': id, 'th-TH': th };
}
