import { randomBytes, randomUUID } from 'node:crypto';
import { authTokenRoute } from './auth-token.js';
import { controlRoutes } from './control.js';
import { World } from './data/world.js';
import { DEMO, type Demo } from './demo.js';
import { Faults } from './faults/faults.js';
import { graphqlRoute } from './graphql/endpoint.js';
import { makeSchema } from './graphql/schema.js';
import { CallLog } from './http/call-log.js';
import { html } from './http/exchange.js';
import { Listener, type ListenerParts } from './http/listener.js';
import { IdentityProvider, type SignInOverrides } from './identity/identity-provider.js';
import { tokenRoute, type PartnerClient } from './issuer/token-request.js';
import { PlaygroundClock } from './playground-clock.js';
import { DEFAULT_SWITCHES, type Switches } from './switches.js';
import { Tokens } from './tokens.js';

export interface PlaygroundOptions {
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** Port of the upstream, 3010 by default; 0 takes any that is free. */
  readonly port?: number;
  /** Port of the issuer, the next one by default; any that is free when `port` is 0. */
  readonly issuerPort?: number;
  /** Milliseconds since the epoch; the machine's clock by default. */
  readonly clock?: () => number;
  /** The one client of the issuer; random credentials by default. */
  readonly client?: Partial<PartnerClient>;
  /** Choices where the interface is silent. */
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
  readonly demo: Demo;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly clock: PlaygroundClock;
  readonly switches: Switches;
  readonly world: World;
  /** A signed end-user token of the demo identity provider. */
  signIn(subject: string, overrides?: SignInOverrides): Promise<string>;
  close(): Promise<void>;
}

/** Starts the emulator of upstream, issuer and identity provider on two ports of this machine. */
export async function startPlayground(options: PlaygroundOptions = {}): Promise<Playground> {
  const clock = new PlaygroundClock(options.clock ?? Date.now);
  const switches: Switches = { ...DEFAULT_SWITCHES, ...options.switches };
  const [tokens, faults, calls] = [new Tokens(clock.now), new Faults(), new CallLog()];
  const world = lazy(() => new World());
  const client = { ...randomClient(), ...options.client };

  const listen = { host: options.host ?? '127.0.0.1', tls: undefined, now: clock.now, tokens, faults, calls };
  const { upstream, issuer } = await openListeners(listen, options);
  const identity = await IdentityProvider.create(issuer.url, clock.now);
  issuer.serve([tokenRoute(client, tokens, () => switches.partnerTokenSeconds), ...identity.routes()]);
  const schema = makeSchema();
  upstream.serve([
    authTokenRoute(tokens, world, () => switches.browserTokenSeconds),
    graphqlRoute({ schema, world, tokens, faults, switches, now: clock.now, page: async () => html('') }),
    ...controlRoutes({ calls }),
  ]);

  return {
    upstreamUrl: upstream.url,
    issuerUrl: issuer.url,
    settings: settingsOf(upstream, issuer, identity, client),
    demo: DEMO,
    tokens,
    faults,
    calls,
    clock,
    switches,
    get world() {
      return world();
    },
    signIn: (subject, overrides) => identity.signIn(subject, overrides),
    close: async () => {
      await Promise.all([upstream.close(), issuer.close()]);
    },
  };
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

function randomClient(): PartnerClient {
  return {
    clientId: `playground-${randomUUID()}`,
    clientSecret: randomBytes(32).toString('base64url'),
    audience: 'https://test.graphql.playground.example',
  };
}

function settingsOf(
  upstream: Listener,
  issuer: Listener,
  identity: IdentityProvider,
  client: PartnerClient,
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
    WEBHOOK_SECRETS: randomBytes(32).toString('base64url'),
    EVENTS_SCHEME_ID: 'seekAnzPublicTest',
  };
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
