import { json, startJsonServer, type JsonServer } from './json-server.js';
import { jwkOf, signToken, type SigningKeys } from './sign-token.js';

/** An OpenID provider on loopback: a discovery document, a JWK set of one key, and tokens. */
export interface Issuer {
  /** `iss`; it ends with a slash. */
  readonly url: string;
  readonly alg: string;
  readonly keys: SigningKeys;
  readonly server: JsonServer;
  /** The discovery document; a test may put another in its place. */
  document: object;
  /** A token that its key signs, for the audience `partner-bff`. */
  sign(claims: Record<string, unknown>): string;
}

/** Starts a provider; the key's id is the same at every one. */
export async function startIssuer(alg: string, keys: SigningKeys): Promise<Issuer> {
  const server = await startJsonServer(json({}));
  const url = `${server.url.href}tenant/`;
  const issuer: Issuer = {
    url,
    alg,
    keys,
    server,
    document: { issuer: url, jwks_uri: `${server.url.href}keys?v=1` },
    sign: (claims) =>
      signToken({ alg, kid: 'k' }, { iss: url, aud: 'partner-bff', ...claims }, keys.privateKey),
  };
  const answers: Record<string, () => unknown> = {
    '/tenant/.well-known/openid-configuration': () => issuer.document,
    '/keys?v=1': () => ({ keys: [jwkOf(keys, { kid: 'k' })] }),
  };
  server.answer = (received, response) => {
    const found = answers[received.url];
    json(found?.() ?? {}, found ? 200 : 404)(received, response);
  };
  return issuer;
}
