import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import type { IncomingAnswer, OutgoingRequest } from '../http/outgoing/exchange.js';
import type { RequestContext } from '../http/request-context.js';
import { UpstreamClients } from './upstream-clients.js';

/** The bounds of one exchange. */
interface ExchangeBounds extends Pick<OutgoingRequest, 'bodyBytesMax' | 'cancellation'> {
  /** `UPSTREAM_TIMEOUT_MS` by default. */
  readonly timeoutMs?: number;
}

/**
 * The headers of a GraphQL request (interface 4.1).
 * @param token none for what needs no token
 * @param language `Accept-Language` of the end user the answer is for; none where it is for several
 */
export function graphqlHeaders(token: string | undefined, language?: string): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
  };
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  if (language !== undefined) headers['accept-language'] = language;
  return headers;
}

/** The upstream's GraphQL endpoint. */
@Injectable()
export class GraphqlEndpoint {
  private readonly path: string;
  private readonly timeoutMs: number;

  constructor(
    private readonly clients: UpstreamClients,
    @Inject(CONFIG) config: Pick<Config, 'UPSTREAM_URL' | 'UPSTREAM_TIMEOUT_MS'>,
  ) {
    this.path = `${config.UPSTREAM_URL!.pathname.replace(/\/$/, '')}/graphql`;
    this.timeoutMs = config.UPSTREAM_TIMEOUT_MS;
  }

  /**
   * Sends one request.
   * @param body as the interface has it (2.3): an operation, or an array of them
   * @param headers of {@link graphqlHeaders}
   * @throws ExchangeFault when no whole answer came in time
   */
  send(
    body: string | Buffer,
    headers: Record<string, string>,
    bounds: ExchangeBounds,
    context: RequestContext,
  ): Promise<IncomingAnswer> {
    const { bodyBytesMax, timeoutMs = this.timeoutMs, cancellation } = bounds;
    const { path } = this;
    return this.clients.graphql.send(
      { method: 'POST', path, headers, body, bodyBytesMax, timeoutMs, cancellation },
      context,
    );
  }
}
