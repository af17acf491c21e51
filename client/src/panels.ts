/**
 * Panels that the upstream's provider hosts and a page embeds, which ask the page for browser tokens.
 * @packageDocumentation
 */
import type { Bff, HirerSession } from './bff.js';
import type { BffError } from './bff-error.js';

/**
 * The scopes that panels need: those that the provider's public pages name for the operations they are built on. The
 * service must allow them (`ALLOWED_SCOPES`, `ROLE_SCOPES`). Any other panel is made with its own `scope`.
 */
export const PANEL_SCOPES = {
  adSelection: 'query:ad-products',
  questionnaire:
    'mutate:application-questionnaires query:application-library-question-suggestions query:application-questionnaires',
} as const;

/** A panel whose scopes are known. */
export type KnownPanel = keyof typeof PANEL_SCOPES;

/** The options of a panel. */
export interface PanelOptions {
  /** The hirer whose token the panel gets; the current one by default. It never changes. */
  readonly hirerId?: string;
  /** Scopes separated by spaces, instead of those of {@link PANEL_SCOPES}. */
  readonly scope?: string;
}

/** The properties that a panel is rendered with, besides its own. */
export interface PanelProps {
  /**
   * A browser token for the panel's hirer. `refused: true` says that the upstream no longer accepts the one given last.
   * @throws BffError `SESSION_ENDED` once the user has switched to another hirer or signed out; otherwise as
   *   `Bff.getAuthToken`
   */
  readonly getAuthToken: (request?: { readonly refused?: boolean }) => Promise<string>;
  /** The one locale that the upstream would choose for `Bff.language`; left out where that is left to the browser. */
  readonly locale?: string;
}

/** The service replaces a refused token at most once in this time. */
const REPLACED_FOR_MS = 5_000;

/**
 * An embedded panel: make one for each place on a page, render it with {@link props}, and remove it from the page when
 * {@link signal} is aborted. Its hirer is fixed. A switch of hirers ends it, even one to its own hirer; then it gets no
 * more tokens.
 *
 * A panel remembers the token it was given, and has no way to say that the upstream refused it. So a second request
 * counts as such, and the service replaces the token, once in five seconds at most. A panel that asks without need gets
 * more tokens than it needs; when those run out (`RATE_LIMITED`), it gets the last one again.
 */
export class Panel {
  readonly hirerId: string;
  readonly scope: string;
  private readonly session: HirerSession;
  private given: string | undefined;
  /** Epoch milliseconds; until then, a second request does not count as a refusal. */
  private heldUntil = 0;

  /** @throws TypeError without a hirer, or without scopes for a panel that is not known */
  constructor(bff: Bff, name: KnownPanel, options?: PanelOptions);
  constructor(bff: Bff, name: string, options: PanelOptions & { readonly scope: string });
  constructor(
    private readonly bff: Bff,
    name: string,
    options: PanelOptions = {},
  ) {
    this.session = bff.session;
    const hirerId = options.hirerId ?? bff.hirerId;
    const scope = options.scope ?? (isKnown(name) ? PANEL_SCOPES[name] : undefined);
    if (hirerId === undefined) throw new TypeError('A panel needs a hirerId.');
    if (scope === undefined) throw new TypeError(`The panel ${name} needs a scope.`);
    this.hirerId = hirerId;
    this.scope = scope;
  }

  /** Aborted with `SESSION_ENDED` when the user switches to another hirer or signs out. */
  get signal(): AbortSignal {
    return this.session.signal;
  }

  /** The properties to render the panel with now. Render it again after a change of the language. */
  get props(): PanelProps {
    const { language } = this.bff;
    return {
      getAuthToken: this.getAuthToken,
      ...(language !== undefined && { locale: localeOf(language) }),
    };
  }

  private readonly getAuthToken: PanelProps['getAuthToken'] = async (request) => {
    this.signal.throwIfAborted();
    const { given } = this;
    const isTold = request?.refused === true;
    const value = await this.ask(isTold || this.now() >= this.heldUntil ? given : undefined).catch(
      (error: BffError) => {
        if (isTold || given === undefined || error.code !== 'RATE_LIMITED') throw error;
        return given;
      },
    );
    if (given !== undefined && given !== value) this.heldUntil = this.now() + REPLACED_FOR_MS;
    this.given = value;
    return value;
  };

  private async ask(refused: string | undefined): Promise<string> {
    const { hirerId, scope } = this;
    return (await this.bff.token({ hirerId, scope }, refused)).value;
  }

  private now(): number {
    return (this.bff.options.now ?? Date.now)();
  }
}

function isKnown(name: string): name is KnownPanel {
  return Object.hasOwn(PANEL_SCOPES, name);
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
