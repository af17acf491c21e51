import { BffError } from '../bff-error.js';
import { readJson } from '../read-json.js';
import type { GetMachineToken } from './machine-client.js';

/** A client of the identity provider. */
export interface ClientCredentials {
  /** The token endpoint of the identity provider. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** How the secret is sent (OpenID Connect Core, section 9): in the body, which is the default, or as HTTP Basic. */
  readonly authentication?: 'client_secret_post' | 'client_secret_basic';
  readonly scope?: string;
  readonly audience?: string;
  /** The URL of the API that the token is for, at providers that go by RFC 8707. */
  readonly resource?: string;
  /** How long the identity provider may take, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** Seconds before its end at which a token is no longer used. */
const MARGIN_SECONDS = 60;
const TIMEOUT_MS = 10_000;

/** A token younger than that is not asked for anew: it was refused before others knew of it, or so will the next be. */
const RENEWAL_PAUSE_MS = 5_000;

interface Token {
  readonly text: string;
  readonly madeMs: number;
  readonly endMs: number;
}

/**
 * Tokens of the identity provider by client credentials (RFC 6749, section 4.4). A token is kept until a minute
 * before its end, or until it is refused; callers at the same time share one request, and one that is refused within five
 * seconds is not renewed again.
 * @throws BffError, when called, while the identity provider gives none
 */
export function clientCredentials(client: ClientCredentials): GetMachineToken {
  const now = client.now ?? Date.now;
  let kept: Token | undefined;
  let asked: Promise<Token> | undefined;
  return async ({ refresh }) => {
    const pauseMs = refresh ? RENEWAL_PAUSE_MS : Infinity;
    if (kept !== undefined && now() < Math.min(kept.endMs, kept.madeMs + pauseMs)) return kept.text;
    asked ??= requestToken(client, now).finally(() => (asked = undefined));
    kept = await asked;
    return kept.text;
  };
}

async function requestToken(client: ClientCredentials, now: () => number): Promise<Token> {
  const { tokenUrl, timeoutMs = TIMEOUT_MS } = client;
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await (client.fetch ?? fetch)(tokenUrl, {
    method: 'POST',
    headers: { Accept: 'application/json', ...basicOf(client) },
    body: new URLSearchParams(formOf(client)),
    redirect: 'error',
    signal,
  }).catch((cause: unknown) => {
    throw new BffError('NETWORK_ERROR', 'The identity provider does not answer.', { cause });
  });
  const { access_token: text, expires_in: seconds } = ((await readJson(response, signal)) ?? {}) as Answer;
  if (!response.ok || typeof text !== 'string') {
    const { status } = response;
    throw new BffError('UNAUTHENTICATED', `The identity provider gave no token: status ${status}.`, {
      status,
    });
  }
  const life = Number(seconds ?? 0) || 0; // a text at some providers, against RFC 6749
  const madeMs = now();
  return { text, madeMs, endMs: madeMs + Math.max(life - MARGIN_SECONDS, life / 2) * 1000 };
}

function formOf(client: ClientCredentials): Record<string, string> {
  const { clientId, clientSecret, scope, audience, resource } = client;
  return {
    grant_type: 'client_credentials',
    ...(!isBasic(client) && { client_id: clientId, client_secret: clientSecret }),
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
    ...(resource !== undefined && { resource }),
  };
}

/** Id and secret are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function basicOf(client: ClientCredentials): Record<string, string> {
  if (!isBasic(client)) return {};
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
  const pair = `${encode(client.clientId)}:${encode(client.clientSecret)}`;
  return { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function isBasic({ authentication }: ClientCredentials): boolean {
  return authentication === 'client_secret_basic';
}

interface Answer {
  readonly access_token?: unknown;
  readonly expires_in?: unknown;
}
