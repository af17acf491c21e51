import type { Fault, RouteName } from '../faults/fault.js';
import type { State } from '../playground-state.js';
import type { Credential } from '../tokens/tokens.js';

/** What the call log and the planned faults know of a request. */
export interface Exchange {
  readonly startedAtMs: number;
  readonly credential: Credential;
  readonly fault: Fault | undefined;
  /** Set by a handler for the call log. Never holds a token or a secret. */
  notes: { fields?: string[]; codes?: string[]; ruleBreaks?: string[] };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    name?: RouteName;
    /**
     * Pages of every origin may call the route. Others are for this machine: a request with a foreign `Origin` is
     * refused.
     */
    openToBrowsers?: boolean;
  }
  interface FastifyRequest {
    /** The playground as it was when the request arrived, also if it has been reset since. */
    state: State;
    exchange: Exchange;
  }
}

/** An error that the listener answers with this status. */
export function refusal(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
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
