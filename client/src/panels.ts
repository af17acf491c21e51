/**
 * Panels that the upstream's provider hosts and a page embeds, which ask the page for browser tokens.
 * @packageDocumentation
 */
import type { Bff } from './bff.js';

/**
 * The scopes that panels need: those that the provider's public pages name for the operations they are built on. The
 * service must allow them (`ALLOWED_SCOPES`, `ROLE_SCOPES`).
 */
export const PANEL_SCOPES = {
  adSelection: 'query:ad-products',
  questionnaire:
    'mutate:application-questionnaires query:application-library-question-suggestions query:application-questionnaires',
} as const;

/** The properties that a panel is rendered with, besides its own. */
export interface PanelProps {
  /**
   * A browser token for the hirer that was current when the properties were made.
   * @throws BffError `SESSION_ENDED` once the user has switched to another hirer or signed out; otherwise as
   *   `Bff.getAuthToken`
   */
  readonly getAuthToken: () => Promise<string>;
  /** The one locale that the upstream would choose for `Bff.language`; left out where that is left to the browser. */
  readonly locale?: string;
}

/**
 * The properties of a panel of the current hirer. When `bff.session.signal`, taken at the same time, is aborted, remove
 * the panel from the page: it gets no more tokens. Render it again after a change of the language.
 * @param scope scopes separated by spaces, such as one of {@link PANEL_SCOPES}
 */
export function panelProps(bff: Bff, scope: string): PanelProps {
  const { session, language } = bff;
  return {
    getAuthToken: async () => {
      session.signal.throwIfAborted();
      return bff.getAuthToken({ scope });
    },
    ...(language !== undefined && { locale: localeOf(language) }),
  };
}

/** Interface, Content localisation: the first is chosen when no preferred language is available. */
const LOCALES = ['en-AU', 'id-ID', 'th-TH'] as const;

/** The locale that `Accept-Language` leads to: a region that is not supported falls back to its language first. */
function localeOf(acceptLanguage: string): string {
  const preferred = acceptLanguage
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const quality = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
      return { primary: tag.split('-')[0], quality: Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality);
  const locales = preferred.map(({ primary }) => LOCALES.find((locale) => locale.startsWith(`${primary}-`)));
  return locales.find((locale) => locale !== undefined) ?? LOCALES[0];
}
