import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UserBudget } from '../concurrency/user-budget.js';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError, invalidRequest } from '../errors/bff-error.js';
import { toBffError } from '../errors/to-bff-error.js';
import { MembershipGate, type GateEntry } from '../hirer-access/membership-gate.js';
import { RequestLimit, STRANGERS } from '../token/rate-limits.js';
import { Member, NO_HIRER, isHirerId } from '../http/end-user.js';
import type { ListenersAdapter } from '../http/incoming/listeners-adapter.js';
import { isRepeated } from '../http/header-values.js';
import type { RequestContext } from '../http/request-context.js';
import type { Item } from '../operations/operation.js';
import { Operations } from '../operations/operations.service.js';
import type { Outcome } from '../operations/transport/graphql-result.js';
import type { Admission } from '../storage/rate-limit.js';
import { Metrics } from '../telemetry/metrics.js';
import { sendError, writeReply } from './graphql-reply.js';
import { GraphqlRequests } from './graphql-request.js';
import { cutIfSlow, SLOW_READER_MS } from './slow-readers.js';

const HIRER_ID = 'x-hirer-id';
/** Answers of full size that one user may leave unread, and how many such users there may be. */
const [UNREAD_ANSWERS_MAX, UNREAD_USERS_MAX] = [8, 8] as const;
/** Smaller answers are not counted: each connection may hold one. */
const SMALL_BYTES = 16_384;

/** Answers a failure before the handler. A caller without a user learns nothing else. */
function sendEarlyError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  sendError(request.context.userRefusal ?? toBffError(thrown), reply);
}

/**
 * `POST /graphql` (ADR 0005): operations of an end user go upstream, confined to a hirer the user belongs to. The order
 * is the guarantee: the user is known before the body is read; validation, membership, roles and request limit follow,
 * and only then tokens and the upstream. A user is optional because `version` needs none (interface 5.1). Each item of
 * a request is counted; one that is refused as a whole, or left by its caller, counts once.
 */
@Controller('graphql')
export class GraphqlController {
  /** Bytes of answers in memory until their callers have read them. */
  private readonly unread: UserBudget;

  constructor(
    private readonly requests: GraphqlRequests,
    private readonly gate: MembershipGate,
    private readonly requestLimit: RequestLimit,
    private readonly operations: Operations,
    { httpAdapter }: HttpAdapterHost<ListenersAdapter>,
    metrics: Metrics,
    @Inject(CONFIG) { ANSWER_LIMIT_BYTES }: Pick<Config, 'ANSWER_LIMIT_BYTES'>,
    @Default() private readonly slowReaderMs = SLOW_READER_MS,
  ) {
    const perUserMax = UNREAD_ANSWERS_MAX * ANSWER_LIMIT_BYTES;
    const totalMax = UNREAD_USERS_MAX * perUserMax;
    this.unread = new UserBudget({ perUserMax, totalMax, what: 'unread bytes', retryAfterSeconds: 5 });
    const counter = metrics.counter(
      'bff_graphql_items_total',
      'GraphQL operations, each item of an array by itself: ok, errors (of the upstream), cancelled, or the error code.',
      ['outcome'],
    );
    httpAdapter.publicListener.onEnd((context) => {
      for (const outcome of context.outcomes) counter.inc({ outcome });
    }, '/graphql');
  }

  /**
   * GraphQL operations: the caller's own texts, or registered ones by name. One, or an array. The query `version` alone
   * needs no user.
   */
  @Post()
  @RouteConfig({ access: 'optional-end-user', audit: 'graphql', sendError: sendEarlyError })
  async answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    try {
      const { body, context } = request;
      // a caller without a user may ask for `version`, in a request of its own, and learns nothing about any other body
      const read = context.user ? this.requests.read(body) : this.requests.readVersion(body);
      if (!read) throw context.userRefusal!;
      const items = Array.isArray(read) ? read : [read];
      const labels = items.flatMap((item) => (item instanceof BffError ? [] : item.label));
      if (labels.length > 0) context.notes.operations = labels;
      const isOpen = !Array.isArray(read) && passed(read).versionOnly;
      if (!isOpen) await this.enter(request);
      const authorized = authorizeAll(items, context);
      if (!Array.isArray(read)) passed(authorized[0]!);
      const caller = context.user ?? STRANGERS;
      const taken = this.requestLimit.takeUpTo(caller, authorized.length);
      context.hasWaited ||= taken instanceof Promise;
      const admitted = admit(authorized, taken instanceof Promise ? await taken : taken);
      this.unread.check(caller.userId); // for one byte: the size of the answer is not known yet
      const outcomes = await this.operations.run(admitted, context);
      if (!Array.isArray(read)) passed(outcomes[0]!);
      const answer = writeReply(outcomes, items, Array.isArray(read), reply);
      if (answer.length > SMALL_BYTES) {
        this.unread.add(caller.userId, answer.length);
        cutIfSlow(reply.raw, this.slowReaderMs, () => this.unread.release(caller.userId, answer.length));
      }
      void reply.send(answer);
    } catch (error) {
      sendError(toBffError(error), reply);
    }
  }

  /**
   * Notes the user's membership of the hirer in `X-Hirer-Id`, or of the only one; without the header, a machine's {@link
   * NO_HIRER}.
   * @throws BffError `invalid_request`, `hirer_forbidden`
   */
  private async enter({ context, raw }: FastifyRequest): Promise<void> {
    const named = readHirerId(raw) ?? (context.endUser.isMachine ? NO_HIRER : undefined);
    await this.enterAt(named ?? (await this.onlyHirer(context)), context);
  }

  private async onlyHirer(context: RequestContext): Promise<string> {
    const [only, ...others] = await this.gate.hirersOf(context.endUser, context);
    if (!only) throw new BffError('hirer_forbidden');
    if (others.length > 0) throw invalidRequest('You belong to several hirers: name one in X-Hirer-Id.');
    return only.hirerId;
  }

  private enterAt(hirerId: string, context: RequestContext): void | Promise<void> {
    const { endUser, notes } = context;
    if (hirerId !== NO_HIRER) notes.hirerId = hirerId;
    const note = (entry: GateEntry): void => {
      notes.roles = entry.roles;
      context.member = new Member(endUser, hirerId, entry);
    };
    const entered = this.gate.enter(endUser, hirerId, context);
    return entered instanceof Promise ? entered.then(note) : note(entered);
  }
}

/** The `X-Hirer-Id` of a request, if it has one. @throws BffError `invalid_request` */
function readHirerId({ headers, rawHeaders }: FastifyRequest['raw']): string | undefined {
  const header = headers[HIRER_ID];
  if (header === undefined) return undefined;
  if (isRepeated(HIRER_ID, rawHeaders)) throw invalidRequest('X-Hirer-Id must be given once.');
  if (isHirerId(header)) return header;
  throw invalidRequest('X-Hirer-Id must be a hirer object identifier of 1 to 255 bytes.');
}

function passed<T extends Item | Outcome>(one: T): Exclude<T, BffError> {
  if (one instanceof BffError) throw one;
  return one as Exclude<T, BffError>;
}

/** Items above the request limit fail individually; if no point is left, all. @throws BffError `rate_limited` */
function admit(items: readonly Item[], { points, refusal }: Admission): readonly Item[] {
  if (!refusal) return items;
  if (points === 0) throw refusal;
  return items.map((item, index) => (index < points ? item : refusal));
}

/** The operations, or why the caller may not call them. @throws BffError when none can be called without a hirer */
function authorizeAll(items: readonly Item[], context: RequestContext): readonly Item[] {
  if (context.member?.hirerId === NO_HIRER && items.every(isOfHirer)) {
    throw invalidRequest('X-Hirer-Id is required: a machine belongs to every hirer.');
  }
  return items.map((item) => authorize(item, context));
}

function isOfHirer(item: Item): boolean {
  return !(item instanceof BffError) && item.registered !== undefined && !item.registered.isUnbound;
}

function authorize(item: Item, { user, member }: RequestContext): Item {
  if (item instanceof BffError) return item;
  const { registered } = item;
  if (user?.isMachine && !registered) {
    const detail = 'Machines may only call registered operations. Send a documentId instead of a query.';
    return new BffError('scope_forbidden', { detail });
  }
  return (member && registered?.refusalFor(member)) ?? item;
}
