import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { isDecodable } from '../config/values/url-forms.js';
import { plainAddress } from './header-values.js';

const ACTOR = /^[\p{L}\p{N} ._@+-]{1,80}$/u;

/** The actor of an ops action: an operator, as far as known, or the process itself; for the audit record. */
export interface Operator {
  readonly requestId: string;
  /** The name the person gave (`X-Ops-Actor`). It is not verified, because the ops token is shared. */
  readonly actor?: string | undefined;
  /** IP address, or `process` for a signal, a changed file or the start. */
  readonly address: string;
}

export function processItself(): Operator {
  return { requestId: randomUUID(), address: 'process' };
}

/** The operator who sent a request to the ops listener. A name in another script than ASCII is sent URL-encoded. */
export function operatorOf({ id, headers, ip }: Pick<FastifyRequest, 'id' | 'headers' | 'ip'>): Operator {
  const name = String(headers['x-ops-actor'] ?? '');
  const actor = isDecodable(name) ? decodeURIComponent(name) : '';
  return { requestId: id, actor: ACTOR.test(actor) ? actor : undefined, address: plainAddress(ip) };
}
