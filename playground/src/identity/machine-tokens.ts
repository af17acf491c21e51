import type { RouteOptions } from 'fastify';
import { isSame, readMembers, refuse, type TokenRefusal } from '../issuer/client-credentials.js';

/** A back end of the partner's own, as a client of the demo identity provider. */
export interface MachineClient {
  /** Also the subject of its tokens. */
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The one back end that the demo identity provider knows. Its secret is public, as signing in needs no password. */
export const DEMO_MACHINE: MachineClient = {
  clientId: 'demo-backend',
  clientSecret: 'demo-backend-secret',
};

const PATH = '/demo/token';

/** Where the demo identity provider at `origin` gives machines their tokens. */
export function machineTokenUrl(origin: string): string {
  return `${origin}${PATH}`;
}

/**
 * `POST /demo/token`: client credentials for the token of a machine (RFC 6749, 4.4), signed like an end user's.
 * @param sign makes the token of a subject
 */
export function machineTokenRoute(
  { audience, lifetimeSeconds }: { audience: string; lifetimeSeconds: number },
  sign: (subject: string) => Promise<string>,
): RouteOptions {
  return {
    method: 'POST',
    url: PATH,
    config: { name: 'machine-token' },
    handler: async (request, reply) => {
      const refused = refusalOf(readMembers(request), audience);
      if (refused !== undefined) return refuse(reply, refused);
      const access_token = await sign(DEMO_MACHINE.clientId);
      return { access_token, expires_in: lifetimeSeconds, token_type: 'Bearer' };
    },
  };
}

function refusalOf(members: Record<string, unknown> | undefined, audience: string): TokenRefusal | undefined {
  if (members === undefined) return [400, 'invalid_request', 'Send a form or JSON, in UTF-8.'];
  if (members['grant_type'] !== 'client_credentials') {
    return [400, 'unsupported_grant_type', 'The grant type is client_credentials.'];
  }
  const { clientId, clientSecret } = DEMO_MACHINE;
  const isKnown = isSame(members['client_id'], clientId) && isSame(members['client_secret'], clientSecret);
  if (!isKnown) return [401, 'invalid_client', 'Unknown client, or a wrong secret.'];
  if (members['audience'] !== undefined && members['audience'] !== audience) {
    return [400, 'invalid_target', `The audience is ${audience}.`];
  }
  return undefined;
}
