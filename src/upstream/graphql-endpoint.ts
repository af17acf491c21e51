import type { IncomingAnswer } from './http-exchange.js';
import type { RequestContext } from './request-context.js';
import type { UpstreamClient } from './upstream-client.js';

/** A GraphQL request to the upstream, its body ready to send (interface 2.3, 4.1). */
export interface GraphqlCall {
  readonly token?: string | undefined;
  readonly body: string | Buffer;
  readonly bodyBytesMax: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The upstream's GraphQL endpoint. */
export class GraphqlEndpoint {
  private readonly path: string;

  constructor(
    private readonly client: UpstreamClient,
    baseUrl: URL,
  ) {
    this.path = `${baseUrl.pathname.replace(/\/$/, '')}/graphql`;
  }

  /** @throws UpstreamFault when no whole answer came in time */
  send({ token, ...call }: GraphqlCall, context: RequestContext): Promise<IncomingAnswer> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(context.acceptLanguage !== undefined && { 'accept-language': context.acceptLanguage }),
    };
    return this.client.send(
      { target: 'graphql', method: 'POST', path: this.path, headers, ...call },
      context,
    );
  }
}
