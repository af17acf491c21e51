import { pino } from 'pino';
import { RequestContext } from '../../src/http/request-context.js';
import { RedisCache } from '../../src/storage/redis/redis-cache.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { BrowserTokens } from '../../src/token/browser-tokens.js';
import { MintLimit } from '../../src/token/mint-limit.js';
import { KeptSecrets } from '../../src/upstream/kept-secrets.js';
import { PartnerTokens } from '../../src/token/partner-tokens.js';
import { SharedTokens } from '../../src/token/shared-tokens.js';
import type { BrowserTokenEndpoint, BrowserTokenRequest } from '../../src/upstream/browser-token-endpoint.js';
import type { Issuer } from '../../src/upstream/issuer.js';
import { someSecrets } from '../support/some-secrets.js';
import { SimulatedRedis } from './simulated-redis.js';
import type { VirtualTime } from './virtual-time.js';

/** What both tokens of the upstream live for, in seconds. */
export const LIFE_SECONDS = 3_600;
const MINT_MS = 200;
const SCOPES = ['query:organizations'];

const PARTNER = {
  UPSTREAM_URL: new URL('https://upstream.test'),
  ISSUER_TOKEN_URL: new URL('https://issuer.test/token'),
  PARTNER_CLIENT_ID: 'client',
  PARTNER_AUDIENCE: undefined,
  PARTNER_TOKEN_REQUEST: 'json',
} as const;

/** Replicas of the token module on one Redis, an issuer and an upstream that count what is asked of them. */
export class SimulatedFleet {
  readonly redis = new SimulatedRedis();
  /** Virtual times at which a browser token was asked of the upstream. */
  readonly mintedAt: number[] = [];
  issued = 0;
  /** Answers that hold the token of someone else, and faults. */
  readonly wrong: string[] = [];
  private readonly replicas: BrowserTokens[] = [];

  constructor(
    private readonly time: VirtualTime,
    count: number,
  ) {
    for (let number = 0; number < count; number += 1) this.start(number);
  }

  get size(): number {
    return this.replicas.length;
  }

  /** Starts a replica with nothing in memory, in place of the one of that number. */
  start(number: number): void {
    const cache = new RedisCache(this.redis.connect());
    const shared = new SharedTokens(cache, someSecrets());
    const secrets = someSecrets({ PARTNER_CLIENT_SECRET: 'secret' });
    const log = pino({ level: 'silent' });
    const kept = new KeptSecrets(secrets);
    const telemetry = [kept, log, new Metrics(), new Conditions()] as const;
    const partner = new PartnerTokens(PARTNER, secrets, this.issuer, shared, ...telemetry);
    partner.onApplicationBootstrap();
    const limit = new MintLimit({ RATE_LIMIT_MINTS_PER_MINUTE: 0 });
    this.replicas[number] = new BrowserTokens(
      PARTNER,
      this.endpoint,
      partner,
      shared,
      limit,
      new Metrics(),
      new Conditions(),
    );
  }

  /** A user asks a replica for a token. */
  async ask(user: number, replica: number): Promise<void> {
    const request = { hirerId: `hirer-${user % 50}`, userId: `user-${user}`, scopes: SCOPES };
    try {
      const { accessToken } = await this.replicas[replica]!.get(request, RequestContext.background());
      if (!accessToken.startsWith(`${nameOf(request)}#`)) this.wrong.push(accessToken);
    } catch (error) {
      this.wrong.push(String(error));
    }
  }

  private readonly issuer = {
    requestToken: async () => {
      this.issued += 1;
      const accessToken = `partner-${this.issued}`;
      await this.time.pause(MINT_MS);
      return { kind: 'granted', accessToken, lifeSeconds: LIFE_SECONDS };
    },
  } as unknown as Issuer;

  private readonly endpoint = {
    requestToken: async (request: BrowserTokenRequest) => {
      const number = this.mintedAt.push(this.time.now);
      await this.time.pause(MINT_MS);
      return { kind: 'granted', accessToken: `${nameOf(request)}#${number}`, lifeSeconds: LIFE_SECONDS };
    },
  } as unknown as BrowserTokenEndpoint;
}

function nameOf({ hirerId, userId }: BrowserTokenRequest): string {
  return `${hirerId} ${userId}`;
}
