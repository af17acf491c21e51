import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** The names of routes, for faults and the call log. */
export const ROUTE_NAMES = [
  'oauth-token',
  'discovery',
  'jwks',
  'sign-in',
  'machine-token',
  'auth-token',
  'graphql',
  'attachments',
  'images',
  'control',
  'page',
] as const;
/** One of the {@link ROUTE_NAMES}. */
export type RouteName = (typeof ROUTE_NAMES)[number];

/** One request, read whole. */
export interface Incoming {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Set by a handler for the call log: the selected fields and the broken rules of interface.md 4.3. */
  readonly notes: CallNotes;
}

/** The part of a call's log entry that its handler adds. Never holds a token or a secret. */
export interface CallNotes {
  fields?: string[];
  codes?: string[];
  ruleBreaks?: string[];
}

/** One answer. A stream is used for attachments only. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | Readable;
}

/** One path of a listener with all its methods. */
export interface Route {
  readonly name: RouteName;
  readonly path: string | RegExp;
  readonly methods: readonly string[];
  /**
   * Allow pages of other origins, by every method or by `POST` alone. Off for everything that changes the playground: there
   * a request with a foreign `Origin` is refused.
   */
  readonly openToBrowsers?: true | 'POST' | undefined;
  /** Larger bodies are refused with 413. Default 1 MiB. */
  readonly bodyBytesMax?: number;
  handle(incoming: Incoming): Answer | Promise<Answer>;
}

/** An answer of JSON that no cache may keep. */
export function json(status: number, body: unknown, headers: Answer['headers'] = {}): Answer {
  return {
    status,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      ...headers,
    },
    body: JSON.stringify(body),
  };
}

/** An answer of HTML. */
export function html(body: string): Answer {
  return { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body };
}

/** The media type of a Content-Type header and whether its charset is UTF-8 (also when none is named). */
export function readContentType(header: string | undefined): { mediaType: string; utf8: boolean } {
  const [mediaType = '', ...parameters] = (header ?? '').toLowerCase().split(';');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  const name = charset?.slice('charset='.length).replaceAll('"', '') ?? 'utf-8';
  return { mediaType: mediaType.trim(), utf8: name === 'utf-8' || name === 'utf8' };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a body of JSON in UTF-8; undefined when it is neither. */
export function parseJson(body: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(utf8.decode(body)) as unknown };
  } catch {
    return undefined;
  }
}

/** True if a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
