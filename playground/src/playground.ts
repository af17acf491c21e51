import { writeFile } from 'node:fs/promises';
import { attachmentRoute } from './attachments/attachment-route.js';
import { imageRoute } from './attachments/image-route.js';
import { authTokenRoute } from './auth-token.js';
import { Background, type Failure } from './background.js';
import { controlRoutes } from './control/control-routes.js';
import { subscribeTo, type SubscriptionWish } from './control/webhook-controls.js';
import { SIZE_DEFAULT } from './data/make-world.js';
import type { World } from './data/world.js';
import { DEMO, type Demo } from './demo.js';
import type { EventMaker } from './event-maker.js';
import { EventSink } from './event-sink/event-sink.js';
import { Faults } from './faults/faults.js';
import { RateLimits, type BucketRule } from './faults/rate-limits.js';
import { graphqlRoute } from './graphql/endpoint.js';
import { theSchema } from './graphql/schema.js';
import { CallLog } from './http/call-log.js';
import { Listener, type ListenerParts } from './http/listener.js';
import { OwnHosts } from './http/own-hosts.js';
import { IdentityProvider, type SignInOverrides } from './identity/identity-provider.js';
import { tokenRoute, type PartnerClient } from './issuer/token-request.js';
import { graphiqlPage, indexRoute } from './pages/page-routes.js';
import { makePartner } from './make-partner.js';
import { staticPages } from './pages/static-pages.js';
import { makeClient, Partners, type Partner } from './partners.js';
import { PlaygroundClock } from './playground-clock.js';
import { StateFile, type PlaygroundState } from './state/state-file.js';
import { DEFAULT_SWITCHES, type Switches } from './switches.js';
import type { TlsMaterial, TlsOptions } from './tls/make-tls.js';
import { Tokens } from './tokens.js';
import type { DeliverySettings, Webhooks } from './webhooks/webhooks.js';

/** How to start a playground; every member has a default. */
export interface PlaygroundOptions {
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** Port of the upstream, 3010 by default; 0 takes any that is free. */
  readonly port?: number;
  /** Port of the issuer, the next one by default; any that is free when `port` is 0. */
  readonly issuerPort?: number;
  /** Hosts that requests may name besides those of loopback, without ports; requests for others get 421. */
  readonly hosts?: readonly string[];
  /** Milliseconds since the epoch; the machine's clock by default. */
  readonly clock?: () => number;
  /** Where the state is kept, so that it survives a restart; none by default. */
  readonly dataDir?: string;
  /** The same seed gives the same objects. */
  readonly seed?: string;
  /** How many openings each hirer has; 100 by default, from 1 to 2,000. */
  readonly size?: number;
  /** Both listeners speak TLS 1.2 or newer with a certificate made at start, or the versions given. */
  readonly tls?: boolean | TlsOptions;
  /** File that the certificate is written to, for clients to trust. */
  readonly certificateFile?: string;
  /** The first client of the issuer; random credentials by default. */
  readonly client?: Partial<PartnerClient>;
  /** Client ids of further partners, each with a copy of the data of its own. */
  readonly partners?: readonly string[];
  /** Secret that webhooks are signed with when `webhook` names none; random by default. */
  readonly webhookSecret?: string;
  /** A receiver to subscribe at start, signed with `webhookSecret`. */
  readonly webhook?: Omit<SubscriptionWish, 'secret'>;
  readonly delivery?: Partial<DeliverySettings>;
  /** Events a minute that happen without being requested. 0 by default. */
  readonly eventsPerMinute?: number;
  readonly rateLimits?: Readonly<Record<string, BucketRule>>;
  /** Choices that the interface leaves open. */
  readonly switches?: Partial<Switches>;
  /** Called with what failed while nobody was waiting for it, and what was thrown; printed to standard error by default. */
  readonly onFailure?: (failure: Failure, error: unknown) => void;
}

/** A running playground. */
export interface Playground {
  /** {base_url} of interface.md. */
  readonly upstreamUrl: string;
  /** Origin of the issuer's listener. */
  readonly issuerUrl: string;
  /** The environment a service needs to use this playground. */
  readonly settings: Readonly<Record<string, string>>;
  /** PEM of the certificate when TLS is on. */
  readonly certificate: string | undefined;
  readonly demo: Demo;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly rateLimits: RateLimits;
  readonly calls: CallLog;
  readonly clock: PlaygroundClock;
  readonly switches: Switches;
  readonly partners: Partners;
  /** Subscriptions of the first partner. */
  readonly webhooks: Webhooks;
  /** Events of the first partner. */
  readonly events: EventMaker;
  /** Receives what a service delivers, with the settings below. */
  readonly eventSink: EventSink;
  /** `EVENT_SINK_URL` and `EVENT_SINK_SECRET` of the sink, which `settings` leaves out. */
  readonly sinkSettings: Readonly<Record<string, string>>;
  /** Runs timers and what requests leave behind, and knows what of it has failed. */
  readonly background: Background;
  /** The data of the first partner; generated on first access. */
  readonly world: World;
  /** A signed end-user token of the demo identity provider. */
  signIn(subject: string, overrides?: SignInOverrides): Promise<string>;
  /** The environment of a service that belongs to a partner. */
  settingsFor(partner: Partner): Readonly<Record<string, string>>;
  /** Subscribes a receiver to events of every type, signed with the secret of `settings` unless another is given. */
  subscribe(wish: SubscriptionWish): void;
  /** Sends no webhook to this address of the machine, nor lets anybody subscribe it, as to the playground's own. */
  keepWebhooksFrom(url: string): void;
  close(): Promise<void>;
}

const SIZE_MAX = 2_000;

/** Starts the emulator of upstream, issuer and identity provider on two ports of this machine. */
export async function startPlayground(options: PlaygroundOptions = {}): Promise<Playground> {
  checkSize(options);
  const background = new Background(options.onFailure);
  const clock = new PlaygroundClock(options.clock ?? Date.now, background);
  const host = options.host ?? '127.0.0.1';
  const tls = options.tls
    ? await openTls(options.tls, host, clock.now(), options.certificateFile)
    : undefined;

  const file = options.dataDir === undefined ? undefined : new StateFile(options.dataDir, background);
  const state = makeState(options, background, clock, file);
  const { switches, tokens, partners } = state;
  const { webhooks, events, webhookSecret } = partners.first;
  const hosts = new OwnHosts(options.hosts ?? []);
  const listen = { ...state, host, hosts, tls, now: clock.now, touch: file?.touch };
  const { upstream, issuer } = await openListeners(listen, options);
  const keepWebhooksFrom = (url: string): void => void state.keptFrom.add(Number(new URL(url).port));
  for (const { url } of [upstream, issuer]) keepWebhooksFrom(url);
  const identity = await IdentityProvider.create(issuer.url, clock.now);
  const issuing = tokenRoute(partners.clients(), tokens, () => switches.partnerTokenSeconds);
  issuer.serve([issuing, ...identity.routes()]);
  upstream.serve(upstreamRoutes(state, () => upstream.url));

  const subscribe = (wish: SubscriptionWish): void => {
    // A receiver that subscribes at each start is not to get everything twice.
    subscribeTo({ secret: webhookSecret, ...wish }, webhooks, file && webhooks.unsubscribe(wish.url));
  };
  if (options.webhook !== undefined) subscribe(options.webhook);
  file?.keep(() => dumpState(state));
  if (options.eventsPerMinute !== undefined) events.setRate(options.eventsPerMinute);
  const settingsFor = (partner: Partner): Record<string, string> =>
    settingsOf({ upstream, issuer, identity, partner });
  return {
    ...state,
    webhooks,
    events,
    get world() {
      return partners.first.world();
    },
    upstreamUrl: upstream.url,
    issuerUrl: issuer.url,
    settings: settingsFor(partners.first),
    settingsFor,
    sinkSettings: state.eventSink.settingsAt(upstream.url),
    certificate: tls?.cert,
    demo: DEMO,
    signIn: (subject, overrides) => identity.signIn(subject, overrides),
    subscribe,
    keepWebhooksFrom,
    close: async () => {
      for (const partner of partners.list()) partner.events.setRate(0);
      clock.clear();
      await Promise.all(partners.list().map((partner) => partner.webhooks.close()));
      await Promise.all([upstream.close(), issuer.close()]);
      file?.save();
    },
  };
}

function checkSize({ size = SIZE_DEFAULT }: PlaygroundOptions): void {
  if (Number.isInteger(size) && size >= 1 && size <= SIZE_MAX) return;
  throw new RangeError(`size is a whole number from 1 to ${String(SIZE_MAX)}.`);
}

/** Everything that both listeners and the caller share. */
interface State {
  readonly background: Background;
  readonly partners: Partners;
  readonly clock: PlaygroundClock;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly rateLimits: RateLimits;
  readonly calls: CallLog;
  readonly switches: Switches;
  readonly eventSink: EventSink;
  /** Ports of this machine that webhooks never go to. */
  readonly keptFrom: Set<number>;
}

function makeState(
  options: PlaygroundOptions,
  background: Background,
  clock: PlaygroundClock,
  file: StateFile | undefined,
): State {
  const kept = file?.load();
  if (kept !== undefined) clock.skew(kept.skewMs);
  const switches = { ...DEFAULT_SWITCHES, ...kept?.switches, ...options.switches };
  const rateLimits = new RateLimits(clock.now);
  rateLimits.set(options.rateLimits ?? {});
  const keptFrom = new Set<number>();
  const shared = {
    ...options,
    keptFrom,
    background,
    clock,
    switches,
    touch: file?.touch ?? (() => undefined),
  };
  const [keptFirst, ...keptOthers] = kept?.partners ?? [];
  const firstClient = makeClient({ ...keptFirst?.client, ...options.client });
  const firstSecret = options.webhookSecret ?? keptFirst?.webhookSecret;
  const others = (options.partners ?? keptOthers.map(({ client }) => client.clientId)).map((clientId) => {
    const known = keptOthers.find(({ client }) => client.clientId === clientId);
    return makePartner(makeClient({ clientId, ...known?.client }), known?.webhookSecret, shared, known);
  });
  return {
    background,
    partners: new Partners([makePartner(firstClient, firstSecret, shared, keptFirst), ...others]),
    clock,
    tokens: new Tokens(clock.now),
    faults: new Faults(),
    rateLimits,
    calls: new CallLog(),
    switches,
    eventSink: new EventSink(clock.now),
    keptFrom,
  };
}

/** What is kept across a restart. Tokens, faults, rate limits and the call log are not. */
function dumpState({ clock, switches, partners }: State): PlaygroundState {
  return {
    format: 1,
    skewMs: clock.skewedByMs,
    switches,
    partners: partners.list().map(({ client, webhookSecret, webhooks, dump }) => ({
      client,
      webhookSecret,
      ...dump(),
      ...webhooks.dump(),
    })),
  };
}

function upstreamRoutes(state: State, baseUrl: () => string) {
  const { tokens, partners, switches, clock } = state;
  const schema = theSchema();
  const pages = { ...state, ...partners.first, schema };
  return [
    authTokenRoute(tokens, partners, () => switches.browserTokenSeconds),
    graphqlRoute({
      ...state,
      schema,
      now: clock.now,
      baseUrl,
      page: (incoming) => graphiqlPage(incoming, pages),
    }),
    attachmentRoute(state),
    imageRoute(partners),
    ...controlRoutes(pages),
    state.eventSink.route(),
    indexRoute(pages),
    ...staticPages(),
  ];
}

async function openListeners(
  listen: Omit<ListenerParts, 'name' | 'port'>,
  { port = 3010, issuerPort = port === 0 ? 0 : port + 1 }: PlaygroundOptions,
): Promise<{ upstream: Listener; issuer: Listener }> {
  const upstream = await Listener.open({ ...listen, name: 'upstream', port });
  try {
    return { upstream, issuer: await Listener.open({ ...listen, name: 'issuer', port: issuerPort }) };
  } catch (error) {
    await upstream.close();
    throw error;
  }
}

/** The library that makes certificates is large, and few playgrounds speak TLS. */
async function openTls(
  options: true | TlsOptions,
  host: string,
  nowMs: number,
  certificateFile: string | undefined,
): Promise<TlsMaterial> {
  const { makeTls } = await import('./tls/make-tls.js');
  const material = await makeTls(options, host, nowMs);
  if (certificateFile !== undefined) await writeFile(certificateFile, material.cert);
  return material;
}

function settingsOf(parts: {
  upstream: Listener;
  issuer: Listener;
  identity: IdentityProvider;
  partner: Partner;
}): Record<string, string> {
  const { upstream, issuer, identity } = parts;
  const { client, webhookSecret } = parts.partner;
  return {
    UPSTREAM_URL: upstream.url,
    ISSUER_TOKEN_URL: `${issuer.url}/oauth/token`,
    PARTNER_CLIENT_ID: client.clientId,
    PARTNER_CLIENT_SECRET: client.clientSecret,
    PARTNER_AUDIENCE: client.audience,
    END_USER_JWKS_URL: `${issuer.url}/.well-known/jwks.json`,
    END_USER_ISSUER: identity.issuer,
    END_USER_AUDIENCE: identity.audience,
    WEBHOOK_SECRETS: webhookSecret,
    EVENTS_SCHEME_ID: 'seekAnzPublicTest',
  };
}
