import type { RouteOptions } from 'fastify';
import { attachmentRoute } from './attachments/attachment-route.js';
import { imageRoute } from './attachments/image-route.js';
import { authTokenRoute } from './tokens/auth-token.js';
import { controlRoutes } from './control/controls.js';
import { SIZE_DEFAULT } from './data/make-world.js';
import { EventSink } from './webhooks/event-sink.js';
import { graphqlRoutes } from './graphql/endpoint/endpoint.js';
import { OwnHosts } from './http/own-hosts.js';
import { DEMO_MACHINE, IdentityProvider } from './issuer/identity-provider.js';
import { tokenRoute } from './issuer/client-credentials.js';
import { Listener } from './http/listener.js';
import { pageRoutes } from './pages/page-routes.js';
import type { PlaygroundOptions } from './playground-options.js';
import {
  beginState,
  endState,
  makeOrigin,
  makeState,
  subscribe,
  type Origin,
  type State,
  type StateParts,
} from './playground-state.js';
import { DEFAULT_SWITCHES } from './switches.js';
import type { Playground } from './playground-handle.js';

export type { Playground } from './playground-handle.js';
export type { PlaygroundOptions } from './playground-options.js';

const SIZE_MAX = 2_000;

/** Starts the emulator of upstream, issuer and identity provider on two ports of this machine. */
export async function startPlayground(options: PlaygroundOptions = {}): Promise<Playground> {
  checkSize(options);
  const origin = makeOrigin(options);
  const { keptFrom } = origin;
  const eventSink = new EventSink(() => state.clock.now());
  let state = makeState(origin);
  const hosts = new OwnHosts(options.hosts ?? []);
  const opened = await open(hosts, origin, () => state);
  const { upstream, issuer, identity, certificate } = opened;
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
    settings: settingsOf(opened, origin),
    sinkSettings: eventSink.settingsAt(upstream.url),
    certificate,
    machine: { ...DEMO_MACHINE, tokenUrl: identity.machineTokenUrl },
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

/** Opens both listeners or neither, which serve nothing yet, and makes the identity provider at the issuer's address. */
async function open(hosts: OwnHosts, { options, background, startMs }: Origin, state: () => State) {
  const { host = '127.0.0.1', port = 3010, certificateFile } = options;
  // The library that makes certificates is large, and few playgrounds speak TLS.
  const { makeTls } = options.tls === true ? await import('./http/certificate.js') : {};
  const tls = await makeTls?.(host, startMs, certificateFile);
  const parts = { host, hosts, tls, background };
  const upstream = await Listener.open({ ...parts, name: 'upstream', port });
  const issuerPort = port === 0 ? 0 : port + 1;
  const issuer = await Listener.open({ ...parts, name: 'issuer', port: issuerPort }).catch(
    async (error: unknown) => {
      await upstream.close();
      throw error;
    },
  );
  const identity = new IdentityProvider(
    issuer.url,
    () => state().clock.now(),
    () => state().demo.users,
  );
  return { upstream, issuer, identity, certificate: tls?.cert };
}

/**
 * A handle on an object that a reset replaces. Whatever is done with the handle is done with the object that is current
 * then, so that a handle taken before a reset serves after it too.
 */
function handleOn<T extends object>(current: () => T): T {
  return new Proxy({} as T, {
    get: (_handle, name): unknown => Reflect.get(current(), name),
    set: (_handle, name, value) => Reflect.set(current(), name, value),
    has: (_handle, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_handle, name) => Reflect.getOwnPropertyDescriptor(current(), name),
    getPrototypeOf: () => Reflect.getPrototypeOf(current()),
  });
}

/** Handles that outlive a reset: each leads to the present state. */
function handlesOn(state: () => State): StateParts {
  const names = Object.keys(state()) as (keyof StateParts)[];
  return Object.fromEntries(
    names.map((name) => [name, handleOn(() => state()[name])]),
  ) as unknown as StateParts;
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
  { upstream, issuer, identity }: Awaited<ReturnType<typeof open>>,
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
