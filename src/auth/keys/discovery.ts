import type { lookup } from 'node:dns';
import { isDiscoverable, isLoopbackHost } from '../../config/values/url-forms.js';
import { requestJson, type DependencyClients } from '../../http/outgoing/dependency-client.js';
import type { Connecting } from '../../http/outgoing/exchange.js';
import {
  AddressRefused,
  guardedLookup,
  isAllowedAddress,
  isRefusedLiteral,
} from '../../http/outgoing/guarded-address.js';
import type { HttpClient } from '../../http/outgoing/http-client.js';
import { RequestContext } from '../../http/request-context.js';
import { isObject } from '../../json/is-object.js';

/** Of one call. */
const BOUNDS = { timeoutMs: 5_000, bodyBytesMax: 64 * 1024 };
/** One request serves all callers. */
const CONNECTIONS_MAX = 2;

/** Where a JWK set comes from. */
export interface KeySetEndpoint {
  /**
   * The set as it was answered, parsed and not judged.
   * @throws Error when it cannot be had; its message holds nothing of an answer
   */
  fetch(): Promise<unknown>;
  close(): Promise<void>;
}

/** A JWK set behind a URL (`END_USER_JWKS_URL`). */
export class KeySetUrl implements KeySetEndpoint {
  private readonly client: HttpClient;

  constructor(
    private readonly url: URL,
    clients: DependencyClients,
    connecting?: Connecting,
  ) {
    this.client = clients.open('end-user-keys', url, CONNECTIONS_MAX, connecting);
  }

  fetch(): Promise<unknown> {
    const path = this.url.pathname + this.url.search;
    return requestJson(
      this.client,
      { method: 'GET', path, headers: {}, ...BOUNDS },
      RequestContext.background(),
    );
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** A discovery document of an issuer other than the one that was asked for. */
export class ForeignIssuer extends Error {
  /** @param issuer as the document names it: an answer, so not for the log */
  constructor(readonly issuer: unknown) {
    super('the discovery document is not of this issuer');
  }
}

/** Where a JWK set may be that is named by others. */
export interface KeySetPlaces {
  /** `HTTP_HOSTS`. */
  readonly httpHosts: readonly string[];
  /** Resolves names; the system's by default. */
  readonly resolver?: typeof lookup;
}

/**
 * The JWK set that an issuer's discovery document names (OpenID Connect Discovery 1.0 section 4). The document is read
 * anew each time, so that an issuer may move its keys. It never sends the service to a link-local address, and to
 * loopback only from there; a name is judged by the addresses that are connected to.
 */
export class DiscoveredKeySet implements KeySetEndpoint {
  private readonly document: KeySetUrl;
  private set: { readonly href: string; readonly endpoint: KeySetUrl } | undefined;

  /** @param issuer for which `isDiscoverable` is true */
  constructor(
    private readonly issuer: string,
    private readonly clients: DependencyClients,
    private readonly places: KeySetPlaces,
  ) {
    const url = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    this.document = new KeySetUrl(url, clients);
  }

  async fetch(): Promise<unknown> {
    const href = this.readDocument(await this.document.fetch());
    if (this.set?.href !== href) {
      const endpoint = this.open(new URL(href));
      await this.set?.endpoint.close();
      this.set = { href, endpoint };
    }
    return this.set.endpoint.fetch();
  }

  async close(): Promise<void> {
    await Promise.all([this.document.close(), this.set?.endpoint.close()]);
  }

  /** @throws AddressRefused */
  private open(url: URL): KeySetUrl {
    const reach = isLoopbackHost(new URL(this.issuer).hostname) ? 'private' : 'network';
    const isAllowed = (address: string): boolean => isAllowedAddress(address, reach);
    if (isRefusedLiteral(url.hostname, isAllowed)) throw new AddressRefused();
    return new KeySetUrl(url, this.clients, { lookup: guardedLookup(isAllowed, this.places.resolver) });
  }

  /** The address of the set. An issuer other than ours is a mistake, or somebody else's keys (section 4.3). */
  private readDocument(document: unknown): string {
    const { issuer, jwks_uri: href } = isObject(document) ? document : {};
    if (issuer !== this.issuer) throw new ForeignIssuer(issuer);
    if (typeof href === 'string' && isDiscoverable(href.split('?', 1)[0]!, this.places.httpHosts)) {
      return href;
    }
    throw new Error('the discovery document names no https jwks_uri');
  }
}
