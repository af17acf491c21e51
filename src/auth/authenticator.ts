import type { IncomingMessage } from 'node:http';
import { BffError } from '../errors/bff-error.js';
import type { EndUser } from './end-user.js';

/** What authentication reads of a request; Node's own request, or Fastify's `request.raw`. */
export type AuthenticationRequest = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'method'>;

/** Tells who sends a request. */
export class Authenticator {
  /**
   * The end user behind the request; at once, without a promise, when the token was verified a moment ago.
   * @throws BffError `unauthenticated`; `csrf_failed`; `unavailable` while there are no keys to verify with
   */
  authenticate(_request: AuthenticationRequest): EndUser | Promise<EndUser> {
    throw new BffError('unauthenticated');
  }
}
