import type { FailureListener } from './background.js';
import type { Seeding } from './seeding/seeding.js';
import type { Switches } from './switches.js';
import type { DeliverySettings } from './webhooks/deliveries.js';
import type { SubscriptionWish } from './webhooks/webhooks.js';

/** A client of the issuer or of the identity provider. */
export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string;
}

/** How to start a playground; every member has a default. */
export interface PlaygroundOptions {
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** Port of the upstream, 3010 by default, and the next one for the issuer; 0 takes any two that are free. */
  readonly port?: number;
  /** Hosts that requests may name besides those of loopback, without ports; requests for others get 421. */
  readonly hosts?: readonly string[];
  /** Milliseconds since the epoch; the machine's clock by default. */
  readonly clock?: () => number;
  /** The same seed gives the same objects. */
  readonly seed?: string;
  /** How many openings each hirer has; 100 by default, from 1 to 2,000. */
  readonly size?: number;
  /** Both listeners speak TLS 1.2 or newer with a certificate made at start. */
  readonly tls?: boolean;
  /** File that the certificate is written to, for clients to trust. */
  readonly certificateFile?: string;
  /** The client of the issuer; random credentials by default. */
  readonly client?: Partial<Client>;
  /** Secret that webhooks are signed with when `webhook` names none; random by default. */
  readonly webhookSecret?: string;
  /** A receiver to subscribe at start, signed with `webhookSecret`. */
  readonly webhook?: Omit<SubscriptionWish, 'secret'>;
  readonly delivery?: Partial<DeliverySettings>;
  /** Seeds the world, at start and again at each reset; must not wait for anything. */
  readonly prepare?: (seed: Seeding) => void;
  /** Choices that the interface leaves open. */
  readonly switches?: Partial<Switches>;
  /** Called with each failure in the background, and the thrown value; printed to standard error by default. */
  readonly onFailure?: FailureListener;
}
