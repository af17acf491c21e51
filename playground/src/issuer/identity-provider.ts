import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { RouteOptions } from 'fastify';
import type { Demo } from '../demo.js';
import { refusal } from '../http/route.js';
import { answerClient } from './client-credentials.js';

/** Changes that a test makes to a token, mostly to get an invalid one. */
export interface SignInOverrides {
  /** Lifetime; negative makes a token that has expired. 3600 by default. */
  readonly expiresInSeconds?: number;
  readonly issuer?: string;
  readonly audience?: string;
  /** Claims to add or replace; undefined leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** `stranger`: a key that is not in the JWKS, under the published key's id. */
  readonly signedBy?: 'provider' | 'stranger';
  readonly kid?: string;
}

const LIFETIME_SECONDS = 3_600;
const JWKS_PATH = '/.well-known/jwks.json';
const MACHINE_PATH = '/demo/token';

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

/** The demo identity provider: signs end users in without a password, gives a machine tokens, and publishes its key. */
export class IdentityProvider {
  readonly audience = 'partner-frontend';

  /** Keys are fresh at each start: tokens of an earlier one are no longer valid. */
  private readonly keys = generateKeyPair('ES256');
  private readonly strangerKeys = generateKeyPair('ES256');
  private readonly kid = randomUUID();

  constructor(
    readonly issuer: string,
    private readonly now: () => number,
    private readonly users: () => Demo['users'],
  ) {}

  /** Where machines get their tokens. */
  get machineTokenUrl(): string {
    return `${this.issuer}${MACHINE_PATH}`;
  }

  /** A JWT for a subject, known to the demo or not. */
  async signIn(subject: string, overrides: SignInOverrides = {}): Promise<string> {
    const issuedAt = Math.floor(this.now() / 1000);
    const claims = {
      iss: overrides.issuer ?? this.issuer,
      aud: overrides.audience ?? this.audience,
      sub: subject,
      name: this.users().find((user) => user.subject === subject)?.name,
      iat: issuedAt,
      exp: issuedAt + (overrides.expiresInSeconds ?? LIFETIME_SECONDS),
      jti: randomUUID(),
      ...overrides.claims,
    };
    const keys = overrides.signedBy === 'stranger' ? this.strangerKeys : this.keys;
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: overrides.kid ?? this.kid })
      .sign((await keys).privateKey);
  }

  routes(): RouteOptions[] {
    return [
      {
        method: 'GET',
        url: '/.well-known/openid-configuration',
        config: { name: 'discovery', openToBrowsers: true },
        handler: () => this.discovery(),
      },
      {
        method: 'GET',
        url: JWKS_PATH,
        config: { name: 'jwks', openToBrowsers: true },
        handler: async (_request, reply) => {
          reply.header('Cache-Control', 'public, max-age=300');
          const key = await exportJWK((await this.keys).publicKey);
          return { keys: [{ ...key, kid: this.kid, alg: 'ES256', use: 'sig' }] };
        },
      },
      {
        method: 'POST',
        url: '/demo/sign-in',
        config: { name: 'sign-in', openToBrowsers: true },
        schema: {
          body: { type: 'object', required: ['subject'], properties: { subject: { type: 'string' } } },
        },
        handler: ({ body }) => this.answerSignIn((body as { subject: string }).subject),
      },
      {
        method: 'POST',
        url: MACHINE_PATH,
        config: { name: 'machine-token' },
        handler: (request, reply) => {
          const machine = { ...DEMO_MACHINE, audience: this.audience };
          return answerClient(request, reply, machine, 'machine', async () => ({
            access_token: await this.signIn(DEMO_MACHINE.clientId),
            expires_in: LIFETIME_SECONDS,
          }));
        },
      },
    ];
  }

  /** What leads a service from the issuer to its keys (OpenID Connect Discovery 1.0, 3). Users sign in without a flow. */
  private discovery(): object {
    return {
      issuer: this.issuer,
      jwks_uri: `${this.issuer}${JWKS_PATH}`,
      token_endpoint: this.machineTokenUrl,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    };
  }

  private async answerSignIn(subject: string): Promise<object> {
    const subjects = this.users().map((user) => user.subject);
    if (!subjects.includes(subject)) {
      throw refusal(404, `There is no demo user of this name. The demo users are ${subjects.join(', ')}.`);
    }
    const access_token = await this.signIn(subject);
    return { access_token, expires_in: LIFETIME_SECONDS, token_type: 'Bearer' };
  }
}
