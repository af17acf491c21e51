import type { RouteOptions } from 'fastify';
import { attachmentRoute } from './attachments/attachment-route.js';
import { imageRoute } from './attachments/image-route.js';
import { authTokenRoute } from './tokens/auth-token.js';
import { controlRoutes } from './control/control-routes.js';
import { SIZE_DEFAULT } from './data/make-world.js';
import type { World } from './data/world.js';
import type { Demo } from './demo.js';
import type { AdLifecycle } from './happenings/ad-lifecycle.js';
import type { Applications } from './happenings/applications.js';
import type { EventMaker } from './happenings/event-maker.js';
import { EventSink } from './event-sink/event-sink.js';
import type { Faults } from './faults/faults.js';
import { graphqlRoutes } from './graphql/endpoint/endpoint.js';
import { handleOn } from './handle-on.js';
import type { CallLog } from './http/call-log.js';
import { OwnHosts } from './http/own-hosts.js';
import { IdentityProvider, type SignInOverrides } from './identity/identity-provider.js';
import { DEMO_MACHINE, machineTokenUrl, type MachineClient } from './identity/machine-tokens.js';
import { tokenRoute } from './issuer/token-request.js';
import { openListeners, openTls, type Listeners } from './http/open-listeners.js';
import { pageRoutes } from './pages/page-routes.js';
import type { PlaygroundClock } from './playground-clock.js';
import type { PlaygroundOptions } from './playground-options.js';
import {
  beginState,
  endState,
  makeOrigin,
  makeState,
  subscribe,
  type Origin,
  type State,
} from './playground-state.js';
import type { Seeding } from './seeding/seeding.js';
import { DEFAULT_SWITCHES, type Switches } from './switches.js';
import type { Tokens } from './tokens/tokens.js';
import type { SubscriptionWish } from './webhooks/subscribe-to.js';
import type { Webhooks } from './webhooks/webhooks.js';

export type { PlaygroundOptions } from './playground-options.js';

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
  /** The users, hirers and memberships of the identity provider, seeded ones included. */
  readonly demo: Demo;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly clock: PlaygroundClock;
  readonly switches: Switches;
  readonly switchesAtStart: Readonly<Switches>;
  readonly webhooks: Webhooks;
  /** Makes things happen at the upstream; every event that is asked for begins here. */
  readonly events: EventMaker;
  /** Candidates who apply. */
  readonly applications: Applications;
  /** How ads fare. */
  readonly ads: AdLifecycle;
  /** Receives what a service delivers, with the settings below. */
  readonly eventSink: EventSink;
  /** `EVENT_SINK_URL` and `EVENT_SINK_SECRET` of the sink, which `settings` leaves out. */
  readonly sinkSettings: Readonly<Record<string, string>>;
  /** The partner's data; generated on first access. A reset makes other data; all else here stays a handle. */
  readonly world: World;
  /** Adds users, hirers, ads and applications to the world. */
  readonly seed: Seeding;
  /** The back end that the identity provider gives tokens to by client credentials, and where. */
  readonly machine: MachineClient & { readonly tokenUrl: string };
  /** A signed end-user token of the demo identity provider. */
  signIn(subject: string, overrides?: SignInOverrides): Promise<string>;
  /** Subscribes a receiver to events of every type, signed with the secret of `settings` unless another is given. */
  subscribe(wish: SubscriptionWish): void;
  /** Sends no webhook to this address of the machine and refuses subscriptions of it, as for the playground's own. */
  keepWebhooksFrom(url: string): void;
  /** Lets the pages of a service on this machine control the playground: it is closed to all others. */
  openToPagesOf(url: string): void;
  /**
   * Puts everything back as it was after start: data, what `prepare` seeds, tokens, calls, faults, switches, clock,
   * events, subscriptions and the sink's deliveries. Ports, certificate, credentials, secrets and the keys of the
   * identity provider stay, so that services go on. A request that is under way sees the world it began in to its end.
   * Resolves when the last delivery of a webhook has ended or been broken off.
   * @throws SeedError from `prepare`; then nothing is changed
   */
  reset(): Promise<void>;
  close(): Promise<void>;
}

const SIZE_MAX = 2_000;

/** Starts the emulator of upstream, issuer and identity provider on two ports of this machine. */
export async function startPlayground(options: PlaygroundOptions = {}): Promise<Playground> {
  checkSize(options);
  const origin = makeOrigin(options);
  const { keptFrom } = origin;
  const eventSink = new EventSink(() => state.clock.now());
  let state = makeState(origin);
  const hosts = new OwnHosts(options.hosts ?? []);
  const { listeners, identity, certificate } = await open(hosts, origin, () => state);
  const { upstream, issuer } = listeners;
  const keepWebhooksFrom = (url: string): void => void keptFrom.add(Number(new URL(url).port));
  for (const { url } of [upstream, issuer]) keepWebhooksFrom(url);
  let isClosed = false;
  const playground: Playground = {
    ...handlesOn(() => state),
    eventSink,
    get world() {
      return state.world();
    },
    switchesAtStart: { ...DEFAULT_SWITCHES, ...options.switches },
    upstreamUrl: upstream.url,
    issuerUrl: issuer.url,
    settings: settingsOf(listeners, identity, origin),
    sinkSettings: eventSink.settingsAt(upstream.url),
    certificate,
    machine: { ...DEMO_MACHINE, tokenUrl: machineTokenUrl(issuer.url) },
    signIn: (subject, overrides) => identity.signIn(subject, overrides),
    subscribe: (wish) => subscribe(state, origin, wish),
    keepWebhooksFrom,
    openToPagesOf: (url) => hosts.openToPagesOf(url),
    reset: async () => {
      if (isClosed) throw new Error('The playground is closed; start another.');
      const left = state;
      state = makeState(origin);
      beginState(state, origin);
      eventSink.clear();
      await endState(left);
    },
    close: async () => {
      isClosed = true;
      await endState(state);
      await Promise.all([upstream.close(), issuer.close()]);
    },
  };
  await issuer.serve([tokenRoute(origin.client), ...identity.routes()], () => state);
  await upstream.serve(upstreamRoutes(playground), () => state);
  beginState(state, origin);
  return playground;
}

/** Opens the listeners, which serve nothing yet, and makes the identity provider at the address of the issuer's. */
async function open(hosts: OwnHosts, { options, background, startMs }: Origin, state: () => State) {
  const host = options.host ?? '127.0.0.1';
  const tls = options.tls === true ? await openTls(host, startMs, options.certificateFile) : undefined;
  const listeners = await openListeners({ host, hosts, tls, background }, options);
  const identity = await IdentityProvider.create(
    listeners.issuer.url,
    () => state().clock.now(),
    () => state().demo.users,
  );
  return { listeners, identity, certificate: tls?.cert };
}

/** Handles that outlive a reset: each leads to the present state. */
function handlesOn(state: () => State) {
  return {
    demo: handleOn<Demo>(() => state().demo),
    tokens: handleOn(() => state().tokens),
    faults: handleOn(() => state().faults),
    calls: handleOn(() => state().calls),
    clock: handleOn(() => state().clock),
    switches: handleOn(() => state().switches),
    webhooks: handleOn(() => state().webhooks),
    events: handleOn(() => state().events),
    applications: handleOn(() => state().applications),
    ads: handleOn(() => state().ads),
    seed: handleOn(() => state().seed),
  };
}

function checkSize({ size = SIZE_DEFAULT }: PlaygroundOptions): void {
  if (Number.isInteger(size) && size >= 1 && size <= SIZE_MAX) return;
  throw new RangeError(`size is a whole number from 1 to ${String(SIZE_MAX)}.`);
}

function upstreamRoutes(playground: Playground): RouteOptions[] {
  return [
    authTokenRoute,
    ...graphqlRoutes(playground.upstreamUrl),
    attachmentRoute,
    imageRoute,
    ...controlRoutes(playground),
    ...playground.eventSink.routes(),
    ...pageRoutes(),
  ];
}

function settingsOf(
  { upstream, issuer }: Listeners,
  identity: IdentityProvider,
  { client, webhookSecret }: Origin,
): Record<string, string> {
  return {
    UPSTREAM_URL: upstream.url,
    ISSUER_TOKEN_URL: `${issuer.url}/oauth/token`,
    PARTNER_CLIENT_ID: client.clientId,
    PARTNER_CLIENT_SECRET: client.clientSecret,
    PARTNER_AUDIENCE: client.audience,
    END_USER_JWKS_URL: `${issuer.url}/.well-known/jwks.json`,
    END_USER_ISSUER: identity.issuer,
    END_USER_AUDIENCE: identity.audience,
    MACHINE_SUBJECTS: DEMO_MACHINE.clientId,
    WEBHOOK_SECRETS: webhookSecret,
    EVENTS_SCHEME_ID: 'seekAnzPublicTest',
  };
}
