import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import { IsString, Matches, MaxLength } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Default } from '../config/default.js';
import { BffError } from '../errors/bff-error.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { Is, validate } from '../errors/validate.js';
import { isHirerId } from '../http/end-user.js';
import { MembershipGate, type GateEntry } from '../hirer-access/membership-gate.js';
import type { ListenersAdapter } from '../http/incoming/listeners-adapter.js';
import type { RequestContext } from '../http/request-context.js';
import { parseJsonObject } from '../json/parse-json.js';
import { Metrics } from '../telemetry/metrics.js';
import type { BrowserTokenRequest } from '../upstream/upstream.js';
import { BrowserTokens, noteToken, type BrowserToken } from './browser-tokens.js';
import { RequestLimit } from './rate-limits.js';

const ROUTE = '/auth/token';
/** Names a token that the upstream no longer accepts (interface 5.5). It is replaced if it is the current one. */
const REFUSED_TOKEN = 'x-refused-token';
const SCOPE_CHARACTERS_MAX = 512;
/** One to ten scope tokens (RFC 6749 section 3.3), separated by spaces. */
const SCOPE_LIST = /^ *[\x21\x23-\x5b\x5d-\x7e]+( +[\x21\x23-\x5b\x5d-\x7e]+){0,9} *$/;
const REMEMBERED_MAX = 1_000;
const REMEMBERED_BYTES_MAX = 1_024;

class TokenRequestDto {
  @Is(isHirerId, 'must be a hirer object identifier of 1 to 255 bytes')
  hirerId!: string;

  @IsString({ message: 'must be a string' })
  @MaxLength(SCOPE_CHARACTERS_MAX, { message: `must be at most ${SCOPE_CHARACTERS_MAX} characters` })
  @Matches(SCOPE_LIST, { message: 'must be 1 to 10 scope names separated by spaces' })
  scope!: string;
}

/** A valid body of `POST /auth/token`. */
type TokenRequest = Pick<BrowserTokenRequest, 'hirerId' | 'scopes'>;

/** Interface 2.2, and no other member. */
interface TokenAnswer {
  readonly access_token: string;
  /** Whole seconds until the token expires. */
  readonly expires_in: number;
  readonly token_type: 'Bearer';
}

interface Asked extends BrowserTokenRequest {
  readonly context: RequestContext;
  /** {@link REFUSED_TOKEN} */
  readonly spent: string | undefined;
}

/**
 * `POST /auth/token`, the main job: a user who belongs to a hirer gets a browser token for it. The order is the
 * guarantee: validate, membership, scope, request limit, and only then the cache, so that a refused request learns
 * nothing and makes no upstream call. Membership and scope are checked again after a wait. What is in
 * memory is answered without a promise.
 */
@Controller(ROUTE)
export class BrowserTokenController {
  private readonly issued;

  constructor(
    private readonly gate: MembershipGate,
    private readonly requestLimit: RequestLimit,
    private readonly browserTokens: BrowserTokens,
    { httpAdapter }: HttpAdapterHost<ListenersAdapter>,
    metrics: Metrics,
    @Default() private readonly now: () => number = Date.now,
  ) {
    this.issued = metrics.counter(
      'bff_browser_tokens_total',
      'Requests to /auth/token. The outcome is issued or the error code, the source cache, upstream or none.',
      ['outcome', 'source'],
    );
    for (const source of ['cache', 'upstream']) this.issued.inc({ outcome: 'issued', source }, 0);
    for (const outcome of Object.keys(ERROR_CODES)) this.issued.inc({ outcome, source: 'none' }, 0);
    httpAdapter.publicListener.onEnd(({ outcomes, notes }) => {
      this.issued.inc({ outcome: outcomes[0]!, source: notes.source ?? 'none' });
    }, ROUTE);
  }

  /** A browser token, limited to one hirer and the scopes that the user's roles allow. */
  @Post()
  @HttpCode(200)
  @RouteConfig({ access: 'end-user', audit: 'token' })
  issue(@Req() { body, context, headers }: FastifyRequest): TokenAnswer | Promise<TokenAnswer> {
    const { notes, endUser } = context;
    const { hirerId, scopes } = readTokenRequest(body);
    notes.hirerId = hirerId;
    notes.scopesAsked = scopes;
    const spent = headers[REFUSED_TOKEN]?.toString();
    const asked = { hirerId, scopes, userId: endUser.userId, context, spent };
    const entered = this.gate.enter(endUser, hirerId, context);
    return entered instanceof Promise
      ? entered.then((entry) => this.admit(asked, entry))
      : this.admit(asked, entered);
  }

  private admit(asked: Asked, { roles, scopes }: GateEntry): TokenAnswer | Promise<TokenAnswer> {
    const { endUser, notes } = asked.context;
    notes.roles = roles;
    if (endUser.isMachine) {
      throw new BffError('scope_forbidden', {
        detail: 'Machines cannot get browser tokens. Call a registered operation instead.',
      });
    }
    checkScopes(asked.scopes, scopes);
    const admitted = this.requestLimit.admit(endUser);
    const isAtOnce = !admitted && asked.spent === undefined;
    const token = isAtOnce ? this.browserTokens.get(asked, asked.context) : this.findAfter(admitted, asked);
    return token instanceof Promise ? this.giveLate(token, asked) : this.answer(token, asked);
  }

  private async findAfter(admitted: void | Promise<void>, asked: Asked): Promise<BrowserToken> {
    await admitted;
    if (asked.spent !== undefined) await this.browserTokens.replace(asked, asked.spent);
    return this.browserTokens.get(asked, asked.context);
  }

  private async giveLate(late: Promise<BrowserToken>, asked: Asked): Promise<TokenAnswer> {
    const token = await late;
    const { scopes } = await this.gate.enter(asked.context.endUser, asked.hirerId, asked.context);
    checkScopes(asked.scopes, scopes);
    return this.answer(token, asked);
  }

  private answer(token: BrowserToken, { scopes, context }: Asked): TokenAnswer {
    noteToken(token, scopes, context);
    context.notes.outcomes = ['issued'];
    return {
      access_token: token.accessToken,
      expires_in: Math.max(1, Math.floor((token.expiresAt - this.now()) / 1000)),
      token_type: 'Bearer',
    };
  }
}

/** @throws BffError `scope_forbidden` */
function checkScopes(asked: readonly string[], open: readonly string[]): void {
  if (asked.every((scope) => open.includes(scope))) return;
  const names = asked.filter((scope) => !open.includes(scope)).map((scope) => `"${scope}"`);
  throw new BffError('scope_forbidden', { detail: `You may not request ${names.join(', ')}.` });
}

const remembered = new LRUCache<string, TokenRequest>({ max: REMEMBERED_MAX });

/**
 * Reads the body of `POST /auth/token`: its form alone, not which scopes the user may have. Results are remembered by
 * the bytes, because validation by decorators costs more than the rest of a cached answer (ADR 0005).
 * @throws BffError `invalid_request` with every fault at once
 */
export function readTokenRequest(body: unknown): TokenRequest {
  if (!Buffer.isBuffer(body) || body.length > REMEMBERED_BYTES_MAX) return parseTokenRequest(body);
  const bytes = body.toString('latin1');
  let request = remembered.get(bytes);
  if (!request) {
    request = parseTokenRequest(body);
    remembered.set(bytes, request);
  }
  return request;
}

function parseTokenRequest(body: unknown): TokenRequest {
  const { hirerId, scope } = validate(TokenRequestDto, parseJsonObject(body));
  return { hirerId, scopes: [...new Set(scope.split(' ').filter((name) => name !== ''))].sort() };
}
