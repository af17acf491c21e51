import { randomBytes } from 'node:crypto';
import { Background } from '../background.js';
import { subscribeTo, type SubscriptionWish } from '../control/webhook-controls.js';
import { DEMO, type GrowingDemo } from '../demo.js';
import { EventSink } from '../event-sink/event-sink.js';
import { Faults } from '../faults/faults.js';
import { RateLimits } from '../faults/rate-limits.js';
import { CallLog } from '../http/call-log.js';
import type { PartnerClient } from '../issuer/token-request.js';
import { makePartner } from '../partners/make-partner.js';
import { makeClient, Partners, type Partner } from '../partners/partners.js';
import { PlaygroundClock } from '../playground-clock.js';
import type { PlaygroundOptions } from '../playground-options.js';
import { StateFile, type PartnerState, type PlaygroundState } from './state-file.js';
import { DEFAULT_SWITCHES, type Switches } from '../switches.js';
import { Tokens } from '../tokens/tokens.js';

/** The part of a playground that outlives a reset; each of its states is made from it. */
export interface Origin {
  readonly options: PlaygroundOptions;
  readonly background: Background;
  readonly eventSink: EventSink;
  /** Ports of this machine that webhooks never go to. */
  readonly keptFrom: Set<number>;
  readonly file: StateFile | undefined;
  /** The state that was kept before the start. */
  readonly kept: PlaygroundState | undefined;
  /** The playground's time at start, which its data are relative to. */
  readonly startMs: number;
  readonly accounts: readonly [Account, ...Account[]];
}

/** A partner's credentials, and its kept state. */
interface Account {
  readonly client: PartnerClient;
  readonly webhookSecret: string;
  readonly kept: PartnerState | undefined;
}

/** Everything that a reset replaces. A request sees one state from beginning to end. */
export interface State {
  readonly background: Background;
  readonly eventSink: EventSink;
  readonly partners: Partners;
  readonly clock: PlaygroundClock;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly rateLimits: RateLimits;
  readonly calls: CallLog;
  readonly switches: Switches;
  readonly demo: GrowingDemo;
}

/**
 * Reads what was kept, and makes up credentials.
 * @param sinkNow the time of what the sink receives
 */
export function makeOrigin(options: PlaygroundOptions, sinkNow: () => number): Origin {
  const background = new Background(options.onFailure);
  const file = options.dataDir === undefined ? undefined : new StateFile(options.dataDir, background);
  const kept = file?.load();
  return {
    options,
    background,
    eventSink: new EventSink(sinkNow),
    keptFrom: new Set(),
    file,
    kept,
    startMs: (options.clock ?? Date.now)() + (kept?.skewMs ?? 0),
    accounts: accountsOf(options, kept),
  };
}

/** The partners that were asked for, else those that were kept; one at least. */
function accountsOf(options: PlaygroundOptions, kept: PlaygroundState | undefined): [Account, ...Account[]] {
  const [keptFirst, ...keptOthers] = kept?.partners ?? [];
  const first = accountOf({ ...keptFirst?.client, ...options.client }, keptFirst, options.webhookSecret);
  const ids = options.partners ?? keptOthers.map(({ client }) => client.clientId);
  const others = ids.map((clientId) => {
    const known = keptOthers.find(({ client }) => client.clientId === clientId);
    return accountOf({ clientId, ...known?.client }, known);
  });
  return [first, ...others];
}

function accountOf(
  given: Partial<PartnerClient>,
  kept: PartnerState | undefined,
  webhookSecret = kept?.webhookSecret ?? randomBytes(32).toString('base64url'),
): Account {
  return { client: makeClient(given), webhookSecret, kept };
}

/**
 * A state as it is at start: what was kept or made up, and what the options seed. Nothing happens in it before
 * `beginState`.
 * @throws SeedError from `prepare`
 */
export function makeState(origin: Origin): State {
  const { options, background, eventSink, kept } = origin;
  const clock = new PlaygroundClock(options.clock ?? Date.now, background);
  if (kept !== undefined) clock.skew(kept.skewMs);
  const switches = { ...DEFAULT_SWITCHES, ...kept?.switches, ...options.switches };
  const rateLimits = new RateLimits(clock.now);
  rateLimits.set(options.rateLimits ?? {});
  const demo = structuredClone(kept?.demo ?? DEMO) as GrowingDemo;
  const partners = makePartners(origin, { clock, switches, demo });
  const log = { calls: new CallLog(), faults: new Faults(), tokens: new Tokens(clock.now) };
  const state: State = { background, eventSink, partners, clock, rateLimits, switches, demo, ...log };
  if (kept === undefined) prepare(state, options);
  return state;
}

/** Subscribes the receiver of the options, and lets events happen by themselves if they say so. */
export function beginState(state: State, origin: Origin): void {
  const { webhook, eventsPerMinute } = origin.options;
  if (webhook !== undefined) subscribe(state, origin, webhook);
  if (eventsPerMinute !== undefined) state.partners.first.events.setRate(eventsPerMinute);
}

function makePartners(
  { options, background, keptFrom, file, startMs, accounts }: Origin,
  own: Pick<State, 'clock' | 'switches' | 'demo'>,
): Partners {
  const touch = file?.touch ?? (() => undefined);
  const shared = { ...options, ...own, background, keptFrom, startMs, touch };
  const [first, ...others] = accounts.map(({ client, webhookSecret, kept }) =>
    makePartner(client, webhookSecret, shared, structuredClone(kept)),
  );
  return new Partners([first!, ...others]);
}

function prepare({ partners }: State, { prepare: seed }: PlaygroundOptions): void {
  const result: unknown = seed?.(partners.first.seed);
  if (result instanceof Promise) throw new TypeError('prepare must not be async: seeding waits for nothing.');
}

/** Subscribes a receiver to events of the first partner, replacing an earlier subscription that was kept. */
export function subscribe({ partners }: State, { file }: Origin, wish: SubscriptionWish): void {
  const { webhooks, webhookSecret: secret } = partners.first;
  // A receiver that subscribes at each start is not to get everything twice.
  subscribeTo({ secret, ...wish }, webhooks, file && webhooks.unsubscribe(wish.url));
}

/** Ends what a state would still do: its timers and deliveries. */
export async function endState({ partners, clock }: State): Promise<void> {
  clock.close();
  await Promise.all(partners.list().map((partner) => partner.webhooks.close()));
}

/** The state to keep across a restart: without tokens, faults, rate limits and the call log. */
export function dumpState({ clock, switches, demo, partners }: State): PlaygroundState {
  return {
    format: 1,
    skewMs: clock.skewedByMs,
    switches,
    demo,
    partners: partners.list().map(({ client, webhookSecret, webhooks, dump }: Partner) => ({
      client,
      webhookSecret,
      ...dump(),
      ...webhooks.dump(),
    })),
  };
}
