import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import type { Cancellation } from '../http/cancellation.js';
import type { Exactly, IncomingAnswer } from '../http/exchange.js';
import type { RequestContext } from '../http/request-context.js';
import { UPSTREAM_CLIENT, type UpstreamClient } from './upstream-client.js';

/** A GraphQL request to the upstream, its body ready to send (interface 2.3, 4.1). */
export interface GraphqlCall {
  readonly token?: string | undefined;
  readonly body: string | Buffer;
  readonly bodyBytesMax: number;
  readonly timeoutMs?: number | undefined;
  readonly cancellation?: Cancellation | undefined;
  /** `Accept-Language` of the end user whom the answer is for; none where it is for several. */
  readonly language?: string | undefined;
}

/** The upstream's GraphQL endpoint. */
@Injectable()
export class GraphqlEndpoint {
  private readonly path: string;

  constructor(
    @Inject(UPSTREAM_CLIENT) private readonly client: UpstreamClient,
    @Inject(CONFIG) { UPSTREAM_URL }: Pick<Config, 'UPSTREAM_URL'>,
  ) {
    this.path = `${UPSTREAM_URL!.pathname.replace(/\/$/, '')}/graphql`;
  }

  /** @throws UpstreamFault when no whole answer came in time */
  send<C extends GraphqlCall>(
    call: Exactly<GraphqlCall, C>,
    context: RequestContext,
  ): Promise<IncomingAnswer> {
    const { token, body, bodyBytesMax, timeoutMs, cancellation, language } = call;
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json',
    };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    if (language !== undefined) headers['accept-language'] = language;
    const { path } = this;
    return this.client.send(
      { target: 'graphql', method: 'POST', path, headers, body, bodyBytesMax, timeoutMs, cancellation },
      context,
    );
  }
}
