import type { FastifyRequest } from 'fastify';

const ACTOR_HEADER = 'x-ops-actor';
const ACTOR = /^[\p{L}\p{N} ._@+-]{1,80}$/u;

/** Who acted on the ops listener, as far as known, for the audit record. */
export interface OpsAction {
  readonly requestId: string;
  /** The name the person gave (`X-Ops-Actor`). It is not verified, because the ops token is shared. */
  readonly actor?: string | undefined;
  /** IP address, or `process` for a signal, a changed file or the start. */
  readonly address: string;
}

/** The action that a request to the ops listener asks for. */
export function opsActionOf({ id, headers, ip }: Pick<FastifyRequest, 'id' | 'headers' | 'ip'>): OpsAction {
  const name = headers[ACTOR_HEADER];
  const decoded = typeof name === 'string' ? decode(name) : undefined;
  return {
    requestId: id,
    actor: decoded !== undefined && ACTOR.test(decoded) ? decoded : undefined,
    address: ip,
  };
}

/** Headers are limited to ASCII; a name in another script is sent URL-encoded. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
