import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../../config/load-config.js';
import { Secrets } from '../../config/secrets.js';
import { BffError } from '../../errors/bff-error.js';
import type { ListenersAdapter } from '../../http/incoming/listeners-adapter.js';
import type { BodyShare } from '../../http/incoming/request-body.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { RollingCounts } from '../../telemetry/conditions/rolling-counts.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { EventInbox } from '../store/event-inbox.js';
import { CONFLICT } from '../store/insert-events.js';
import { EventBacklog } from '../store/event-backlog.js';
import { readWebhookBody, type Insertion, type ReceivedEvent } from '../webhook-event.js';
import { WebhookMetrics } from '../webhook-metrics.js';

const ROUTE = '/webhooks';
const TEN_MINUTES_MS = 600_000;
const REFUSED_MIN = 5;
/** How long ago the upstream may have sent the last webhook that was accepted. */
const ACCEPTED_DAYS = 30;

type Body = { readonly since: number; bytes: number; readonly cut: (error: Error) => void };

const UNVERIFIED_BYTES_MAX = 67_108_864;
/** From this age on a body can lose its place; the upstream sends one in a fraction of the time. */
const UNDISTURBED_MS = 1_000;

/**
 * Bounds the bytes of webhooks that are not verified yet, all together, since anyone can send them. When another does
 * not fit, bodies that have been arriving for more than a second are cut, so that slow senders cannot keep the upstream
 * out.
 */
export class UnverifiedBodies {
  bytes = 0;
  /** Oldest first. */
  private readonly bodies = new Set<Body>();

  constructor(
    private readonly bytesMax = UNVERIFIED_BYTES_MAX,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The share of one body. @param cut refuses the body when others need its room, and ends its share */
  open(cut: (error: Error) => void): BodyShare {
    const body: Body = { since: this.now(), bytes: 0, cut };
    this.bodies.add(body);
    return {
      take: (bytes) => this.take(body, bytes),
      end: () => {
        this.bodies.delete(body);
        this.bytes -= body.bytes;
        body.bytes = 0;
      },
    };
  }

  private take(body: Body, bytes: number): void {
    if (this.bytes + bytes > this.bytesMax) this.makeRoom(body, bytes);
    if (this.bytes + bytes > this.bytesMax) throw tooMany();
    this.bytes += bytes;
    body.bytes += bytes;
  }

  private makeRoom(body: Body, bytes: number): void {
    const before = this.now() - UNDISTURBED_MS;
    for (const other of this.bodies) {
      if (other.since > before || this.bytes + bytes <= this.bytesMax) return;
      if (other !== body) other.cut(tooMany());
    }
  }
}

function tooMany(): BffError {
  return new BffError('unavailable', {
    retryAfterSeconds: 5, // until then, bodies have ended
    message: 'too many webhook bodies are arriving',
  });
}

/**
 * `POST /webhooks`, where `WEBHOOK_SECRETS` is set: verified over the raw bytes, then parsed, then stored, then
 * acknowledged. Rotated secrets take effect with the next request.
 */
@Controller(ROUTE)
export class WebhooksController {
  private readonly signatures: WebhookSignatures;
  private readonly header: string;
  private readonly signed = new RollingCounts(TEN_MINUTES_MS);
  private isUpstreams = false; // what is refused now
  private readonly storing: CallReports;

  constructor(
    @Inject(CONFIG) config: Config,
    secrets: Secrets,
    private readonly inbox: EventInbox,
    private readonly metrics: WebhookMetrics,
    private readonly backlog: EventBacklog,
    conditions: Conditions,
    @Inject(LOG) private readonly log: Log,
    { httpAdapter }: HttpAdapterHost<ListenersAdapter>,
  ) {
    this.header = config.WEBHOOK_SIGNATURE_HEADER.toLowerCase();
    this.signatures = new WebhookSignatures(config.WEBHOOK_SIGNATURE_ALGORITHM);
    this.signatures.use(secrets.current.WEBHOOK_SECRETS);
    secrets.onChange('WEBHOOK_SECRETS', (values) => this.signatures.use(values.WEBHOOK_SECRETS));
    httpAdapter.publicListener.onEnd(
      (context) => metrics.requests.inc({ outcome: context.outcomes[0]! }),
      ROUTE,
    );
    this.storing = conditions.calls('webhooks-not-stored', 'inbox');
    conditions.figure('webhooks-refused', () => this.refusal());
  }

  /** The events are on disk when it answers. */
  @Post()
  @HttpCode(204)
  @RouteConfig({
    access: 'open', // by the signature
    bodyBudget: new UnverifiedBodies(),
  })
  async receive(@Req() { id: requestId, headers, body, context }: FastifyRequest): Promise<void> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const signer = this.signerOf(bytes, headers[this.header]);
    const { subscriptionId, events } = readWebhookBody(bytes);
    const origin = { trust: 'signed', subscriptionId, requestId } as const;
    const received = events.map((event) => ({ ...event, ...origin }));
    const insertions = received.length > 0 ? await this.store(received) : [];
    this.metrics.signatures.inc({ signer: `secret ${signer + 1}` });
    this.signed.add(false);
    received.forEach(({ id, type }, index) => {
      this.metrics.event(type, insertions[index]!);
      if (insertions[index] === 'conflict') this.log.warn({ eventId: id, subscriptionId }, CONFLICT);
    });
    context.notes.outcomes = ['accepted'];
    this.log.debug({ requestId, subscriptionId, events: events.length }, 'webhook stored');
  }

  private signerOf(bytes: Buffer, signature: string | string[] | undefined): number {
    const signer = this.signatures.signerOf(bytes, signature);
    if (signer >= 0) return signer;
    if (this.signatures.isDigest(signature)) this.signed.add(true);
    throw new BffError('invalid_signature');
  }

  private async store(events: readonly ReceivedEvent[]): Promise<readonly Insertion[]> {
    try {
      const insertions = await this.inbox.put(events);
      this.storing.succeeded();
      return insertions;
    } catch (error) {
      this.storing.failed((error as Error).message);
      throw error;
    }
  }

  /** What has no form of a signature is not counted. Where no webhook was accepted lately, a stranger sends them. */
  private async refusal(): Promise<string | undefined> {
    const { all, bad } = this.signed.read();
    if (bad < REFUSED_MIN || bad * 2 <= all) return void (this.isUpstreams = false);
    this.isUpstreams ||= bad < all || (await this.backlog.hasSignedSince(ACCEPTED_DAYS));
    return this.isUpstreams ? `${bad} of ${all} in ten minutes` : undefined;
  }
}

/** Verifies signatures over raw bytes, so that nothing from an unknown sender is parsed. */
export class WebhookSignatures {
  private keys: readonly KeyObject[] = [];
  private readonly hexDigest: RegExp;

  constructor(private readonly algorithm: Config['WEBHOOK_SIGNATURE_ALGORITHM']) {
    this.hexDigest = new RegExp(`^[0-9a-f]{${createHmac(algorithm, '').digest().length * 2}}$`);
  }

  /** @param secrets newest first; few, since every body of a stranger is hashed with each */
  use(secrets: readonly string[]): void {
    this.keys = secrets.map((secret) => createSecretKey(Buffer.from(secret)));
  }

  isDigest(signature: unknown): signature is string {
    return typeof signature === 'string' && this.hexDigest.test(signature);
  }

  /** The place of the secret that verifies `signature` over `body`, from 0; -1 for an invalid signature. */
  signerOf(body: Buffer, signature: string | string[] | undefined): number {
    if (!this.isDigest(signature)) return -1;
    const given = Buffer.from(signature, 'hex');
    return this.keys.findIndex((key) =>
      timingSafeEqual(given, createHmac(this.algorithm, key).update(body).digest()),
    );
  }
}
