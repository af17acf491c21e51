import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { plainAddress } from './request-context.js';

const ACTOR_HEADER = 'x-ops-actor';
const ACTOR = /^[\p{L}\p{N} ._@+-]{1,80}$/u;

/** The actor of an ops action: an operator, as far as known, or the process itself; for the audit record. */
export interface Operator {
  readonly requestId: string;
  /** The name the person gave (`X-Ops-Actor`). It is not verified, because the ops token is shared. */
  readonly actor?: string | undefined;
  /** IP address, or `process` for a signal, a changed file or the start. */
  readonly address: string;
}

/** The process itself, at a signal, a changed file or the start. */
export function processItself(): Operator {
  return { requestId: randomUUID(), address: 'process' };
}

/** The operator who sent a request to the ops listener. */
export function operatorOf({ id, headers, ip }: Pick<FastifyRequest, 'id' | 'headers' | 'ip'>): Operator {
  const name = headers[ACTOR_HEADER];
  const decoded = typeof name === 'string' ? decode(name) : undefined;
  return {
    requestId: id,
    actor: decoded !== undefined && ACTOR.test(decoded) ? decoded : undefined,
    address: plainAddress(ip),
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
