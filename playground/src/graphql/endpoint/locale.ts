import { LOCALES, type Locale } from '../../data/ontologies.js';

/**
 * The locale that serves an Accept-Language header best (interface.md, Content localisation 4 and 5). A region that is
 * not served falls back to its language before the next preference is looked at: `en-US, th` gives en-AU.
 */
export function chooseLocale(acceptLanguage: string | undefined): Locale {
  for (const range of readPreferences(acceptLanguage ?? '')) {
    const language = range.split('-')[0];
    const served =
      LOCALES.find((locale) => locale.toLowerCase() === range) ??
      LOCALES.find((locale) => locale.split('-')[0] === language);
    if (served !== undefined) return served;
    if (range === '*') return LOCALES[0];
  }
  return LOCALES[0];
}

/** Language ranges in lower case, the most preferred first; a quality of 0 means not acceptable (RFC 9110, 12.4.2). */
function readPreferences(acceptLanguage: string): string[] {
  return acceptLanguage
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
      const quality = parameters.find((text) => text.startsWith('q='))?.slice(2);
      return { range, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ range, quality }) => range !== '' && quality > 0 && quality <= 1)
    .sort((a, b) => b.quality - a.quality)
    .map(({ range }) => range);
}
