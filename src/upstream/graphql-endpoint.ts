import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import type { Exactly, IncomingAnswer, OutgoingRequest } from '../http/outgoing/exchange.js';
import type { RequestContext } from '../http/request-context.js';
import { UPSTREAM_CLIENT, type UpstreamClient } from './upstream-client.js';

/** What differs between GraphQL requests to the upstream (interface 2.3, 4.1); the body is ready to be sent. */
export interface GraphqlCall extends Pick<OutgoingRequest, 'bodyBytesMax' | 'cancellation'> {
  readonly body: string | Buffer;
  /** None for what needs no token. */
  readonly token?: string | undefined;
  /** `Accept-Language` of the end user the answer is for; none where it is for several. */
  readonly language?: string | undefined;
  /** `UPSTREAM_TIMEOUT_MS` by default. */
  readonly timeoutMs?: number | undefined;
}

/** The upstream's GraphQL endpoint. */
@Injectable()
export class GraphqlEndpoint {
  private readonly path: string;
  private readonly timeoutMs: number;

  constructor(
    @Inject(UPSTREAM_CLIENT) private readonly client: UpstreamClient,
    @Inject(CONFIG) config: Pick<Config, 'UPSTREAM_URL' | 'UPSTREAM_TIMEOUT_MS'>,
  ) {
    this.path = `${config.UPSTREAM_URL!.pathname.replace(/\/$/, '')}/graphql`;
    this.timeoutMs = config.UPSTREAM_TIMEOUT_MS;
  }

  /** @throws UpstreamFault when no whole answer came in time */
  send<C extends GraphqlCall>(
    call: Exactly<GraphqlCall, C>,
    context: RequestContext,
  ): Promise<IncomingAnswer> {
    const { token, language, body, bodyBytesMax, timeoutMs = this.timeoutMs, cancellation } = call;
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json',
    };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    if (language !== undefined) headers['accept-language'] = language;
    const { path } = this;
    return this.client.send(
      'graphql',
      { method: 'POST', path, headers, body, bodyBytesMax, timeoutMs, cancellation },
      context,
    );
  }
}
