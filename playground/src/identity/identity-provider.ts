import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import type { Demo } from '../demo.js';
import {
  isRecord,
  json,
  parseJson,
  readContentType,
  type Answer,
  type Incoming,
  type Route,
} from '../http/exchange.js';
import { machineTokenRoute, machineTokenUrl } from './machine-tokens.js';

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

/** The demo identity provider: signs end users in without a password, gives a machine tokens, and publishes its key. */
export class IdentityProvider {
  readonly audience = 'partner-frontend';

  private constructor(
    readonly issuer: string,
    private readonly key: CryptoKey,
    private readonly strangerKey: CryptoKey,
    private readonly publicKey: JWK & { kid: string },
    private readonly now: () => number,
    private readonly users: () => Demo['users'],
  ) {}

  /** Makes fresh keys; tokens of an earlier start are no longer valid. */
  static async create(
    issuer: string,
    now: () => number,
    users: () => Demo['users'],
  ): Promise<IdentityProvider> {
    const [own, stranger] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
    const jwk = await exportJWK(own.publicKey);
    const publicKey = { ...jwk, kid: randomUUID(), alg: 'ES256', use: 'sig' };
    return new IdentityProvider(issuer, own.privateKey, stranger.privateKey, publicKey, now, users);
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
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: overrides.kid ?? this.publicKey.kid })
      .sign(overrides.signedBy === 'stranger' ? this.strangerKey : this.key);
  }

  routes(): Route[] {
    return [
      {
        name: 'discovery',
        path: '/.well-known/openid-configuration',
        methods: ['GET'],
        openToBrowsers: true,
        handle: () => json(200, this.discovery()),
      },
      {
        name: 'jwks',
        path: JWKS_PATH,
        methods: ['GET'],
        openToBrowsers: true,
        handle: () => json(200, { keys: [this.publicKey] }, { 'Cache-Control': 'public, max-age=300' }),
      },
      {
        name: 'sign-in',
        path: '/demo/sign-in',
        methods: ['POST'],
        openToBrowsers: true,
        handle: (incoming) => this.handleSignIn(incoming),
      },
      machineTokenRoute({ audience: this.audience, lifetimeSeconds: LIFETIME_SECONDS }, (subject) =>
        this.signIn(subject),
      ),
    ];
  }

  /** What leads a service from the issuer to its keys (OpenID Connect Discovery 1.0, 3). Users sign in without a flow. */
  private discovery(): object {
    return {
      issuer: this.issuer,
      jwks_uri: `${this.issuer}${JWKS_PATH}`,
      token_endpoint: machineTokenUrl(this.issuer),
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    };
  }

  private async handleSignIn(incoming: Incoming): Promise<Answer> {
    if (readContentType(incoming.headers['content-type']).mediaType !== 'application/json') {
      return json(415, { message: 'Send application/json.' });
    }
    const body = parseJson(incoming.body)?.value;
    if (!isRecord(body) || typeof body['subject'] !== 'string') {
      return json(400, { message: 'Send {"subject": "..."}.' });
    }
    const { subject } = body;
    if (!this.users().some((user) => user.subject === subject)) {
      return json(404, {
        message: `There is no demo user of this name. The demo users are ${this.users()
          .map((user) => user.subject)
          .join(', ')}.`,
      });
    }
    return json(200, {
      access_token: await this.signIn(subject),
      expires_in: LIFETIME_SECONDS,
      token_type: 'Bearer',
    });
  }
}
