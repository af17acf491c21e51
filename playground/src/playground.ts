import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { attachmentRoute } from './attachments/attachment-route.js';
import { authTokenRoute } from './auth-token.js';
import { controlRoutes } from './control/control-routes.js';
import { subscribeTo, type SubscriptionWish } from './control/webhook-controls.js';
import { makeWorld } from './data/make-world.js';
import type { World } from './data/world.js';
import { DEMO, type Demo } from './demo.js';
import { EventMaker } from './event-maker.js';
import { Faults } from './faults/faults.js';
import { RateLimits, type BucketRule } from './faults/rate-limits.js';
import { graphqlRoute } from './graphql/endpoint.js';
import { theSchema } from './graphql/schema.js';
import { CallLog } from './http/call-log.js';
import { Listener, type ListenerParts } from './http/listener.js';
import { IdentityProvider, type SignInOverrides } from './identity/identity-provider.js';
import { tokenRoute, type PartnerClient } from './issuer/token-request.js';
import { graphiqlPage, indexRoute } from './pages/page-routes.js';
import { PlaygroundClock } from './playground-clock.js';
import { DEFAULT_SWITCHES, type Switches } from './switches.js';
import type { TlsMaterial, TlsOptions } from './tls/make-tls.js';
import { Tokens } from './tokens.js';
import { DEFAULT_DELIVERY, Webhooks, type DeliverySettings } from './webhooks/webhooks.js';

/** How to start a playground; every member has a default. */
export interface PlaygroundOptions {
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** Port of the upstream, 3010 by default; 0 takes any that is free. */
  readonly port?: number;
  /** Port of the issuer, the next one by default; any that is free when `port` is 0. */
  readonly issuerPort?: number;
  /** Milliseconds since the epoch; the machine's clock by default. */
  readonly clock?: () => number;
  /** The same seed gives the same objects. */
  readonly seed?: string;
  /** Both listeners speak TLS 1.2 or newer with a certificate made at start, or the versions given. */
  readonly tls?: boolean | TlsOptions;
  /** File that the certificate is written to, for clients to trust. */
  readonly certificateFile?: string;
  /** The one client of the issuer; random credentials by default. */
  readonly client?: Partial<PartnerClient>;
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
  readonly webhooks: Webhooks;
  readonly events: EventMaker;
  /** The data; generated on first access. */
  readonly world: World;
  /** A signed end-user token of the demo identity provider. */
  signIn(subject: string, overrides?: SignInOverrides): Promise<string>;
  /** Subscribes a receiver to events of every type, signed with the secret of `settings` unless another is given. */
  subscribe(wish: SubscriptionWish): void;
  close(): Promise<void>;
}

/** Starts the emulator of upstream, issuer and identity provider on two ports of this machine. */
export async function startPlayground(options: PlaygroundOptions = {}): Promise<Playground> {
  const clock = new PlaygroundClock(options.clock ?? Date.now);
  const host = options.host ?? '127.0.0.1';
  const tls = options.tls ? await openTls(options.tls, host, clock.now()) : undefined;
  if (tls !== undefined && options.certificateFile !== undefined) {
    await writeFile(options.certificateFile, tls.cert);
  }

  const state = makeState(options, clock);
  const { tokens, faults, calls, switches, webhooks, events } = state;
  const listen = { host, tls, now: clock.now, tokens, faults, calls };
  const { upstream, issuer } = await openListeners(listen, options);
  const identity = await IdentityProvider.create(issuer.url, clock.now);
  const client = { ...randomClient(), ...options.client };
  const webhookSecret = options.webhookSecret ?? randomBytes(32).toString('base64url');
  issuer.serve([tokenRoute(client, tokens, () => switches.partnerTokenSeconds), ...identity.routes()]);
  upstream.serve(upstreamRoutes(state, () => upstream.url));

  const subscribe = (wish: SubscriptionWish): void => {
    subscribeTo({ secret: webhookSecret, ...wish }, webhooks);
  };
  if (options.webhook !== undefined) subscribe(options.webhook);
  if (options.eventsPerMinute !== undefined) events.setRate(options.eventsPerMinute);
  return {
    ...state,
    get world() {
      return state.world();
    },
    upstreamUrl: upstream.url,
    issuerUrl: issuer.url,
    settings: settingsOf({ upstream, issuer, identity, client, webhookSecret }),
    certificate: tls?.cert,
    demo: DEMO,
    signIn: (subject, overrides) => identity.signIn(subject, overrides),
    subscribe,
    close: async () => {
      events.setRate(0);
      await Promise.all([webhooks.close(), upstream.close(), issuer.close()]);
    },
  };
}

/** Everything that both listeners and the caller share. */
interface State {
  readonly world: () => World;
  readonly clock: PlaygroundClock;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly rateLimits: RateLimits;
  readonly calls: CallLog;
  readonly switches: Switches;
  readonly webhooks: Webhooks;
  readonly events: EventMaker;
}

function makeState(options: PlaygroundOptions, clock: PlaygroundClock): State {
  const startMs = clock.now();
  const world = lazy(() => makeWorld(options.seed ?? 'playground', startMs));
  const webhooks = new Webhooks(world, clock.now, { ...DEFAULT_DELIVERY, ...options.delivery });
  const rateLimits = new RateLimits(clock.now);
  rateLimits.set(options.rateLimits ?? {});
  return {
    world,
    clock,
    tokens: new Tokens(clock.now),
    faults: new Faults(),
    rateLimits,
    calls: new CallLog(),
    switches: { ...DEFAULT_SWITCHES, ...options.switches },
    webhooks,
    events: new EventMaker(world, webhooks, clock.now),
  };
}

function upstreamRoutes(state: State, baseUrl: () => string) {
  const { tokens, world, switches, events, clock } = state;
  const schema = theSchema();
  const pages = { ...state, schema };
  return [
    authTokenRoute(tokens, world, () => switches.browserTokenSeconds),
    graphqlRoute({
      ...state,
      schema,
      emit: (type, wish) => events.emit(type, wish),
      now: clock.now,
      baseUrl,
      page: (incoming) => graphiqlPage(incoming, pages),
    }),
    attachmentRoute(state),
    ...controlRoutes(state),
    indexRoute(pages),
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
async function openTls(options: true | TlsOptions, host: string, nowMs: number): Promise<TlsMaterial> {
  const { makeTls } = await import('./tls/make-tls.js');
  return makeTls(options, host, nowMs);
}

function randomClient(): PartnerClient {
  return {
    clientId: `playground-${randomUUID()}`,
    clientSecret: randomBytes(32).toString('base64url'),
    audience: 'https://test.graphql.playground.example',
  };
}

function settingsOf(parts: {
  upstream: Listener;
  issuer: Listener;
  identity: IdentityProvider;
  client: PartnerClient;
  webhookSecret: string;
}): Record<string, string> {
  const { upstream, issuer, identity, client } = parts;
  return {
    UPSTREAM_URL: upstream.url,
    ISSUER_TOKEN_URL: `${issuer.url}/oauth/token`,
    PARTNER_CLIENT_ID: client.clientId,
    PARTNER_CLIENT_SECRET: client.clientSecret,
    PARTNER_AUDIENCE: client.audience,
    END_USER_JWKS_URL: `${issuer.url}/.well-known/jwks.json`,
    END_USER_ISSUER: identity.issuer,
    END_USER_AUDIENCE: identity.audience,
    WEBHOOK_SECRETS: parts.webhookSecret,
    EVENTS_SCHEME_ID: 'seekAnzPublicTest',
  };
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
