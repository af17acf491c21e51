import type { World } from './data/world.js';
import type { MachineClient, SignInOverrides } from './issuer/identity-provider.js';
import type { StateParts } from './playground-state.js';
import type { Switches } from './switches.js';
import type { EventSink } from './webhooks/event-sink.js';
import type { SubscriptionWish } from './webhooks/webhooks.js';

/** A running playground. Its parts stay handles after a reset. */
export interface Playground extends StateParts {
  /** {base_url} of interface.md. */
  readonly upstreamUrl: string;
  /** Origin of the issuer's listener. */
  readonly issuerUrl: string;
  /** The environment a service needs to use this playground. */
  readonly settings: Readonly<Record<string, string>>;
  /** PEM of the certificate when TLS is on. */
  readonly certificate: string | undefined;
  readonly switchesAtStart: Readonly<Switches>;
  /** Receives what a service delivers, with the settings below. */
  readonly eventSink: EventSink;
  /** `EVENT_SINK_URL` and `EVENT_SINK_SECRET` of the sink, which `settings` leaves out. */
  readonly sinkSettings: Readonly<Record<string, string>>;
  /** The partner's data; generated on first access. A reset makes other data. */
  readonly world: World;
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
