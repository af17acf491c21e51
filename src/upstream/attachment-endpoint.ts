import { Inject, Injectable } from '@nestjs/common';
import type { Cancellation } from '../http/cancellation.js';
import type { StreamingAnswer } from '../http/stream.js';
import type { RequestContext } from '../http/request-context.js';
import { UPSTREAM_CLIENT, type UpstreamClient } from './upstream-client.js';

/** A file on the upstream's origin. */
export interface AttachmentCall {
  readonly method: 'GET' | 'HEAD';
  /** Path and query. */
  readonly path: string;
  readonly token: string;
  readonly cancellation: Cancellation;
}

/** The upstream's attachment downloads (interface, Tracing requests). The origin is the client's own and no other. */
@Injectable()
export class AttachmentEndpoint {
  constructor(@Inject(UPSTREAM_CLIENT) private readonly client: UpstreamClient) {}

  /** @throws UpstreamFault when no answer began in time */
  open(
    { method, path, token, cancellation }: AttachmentCall,
    context: RequestContext,
  ): Promise<StreamingAnswer> {
    const headers = { authorization: `Bearer ${token}` };
    return this.client.open(
      { target: 'attachment', method, path, headers, bodyBytesMax: 0, cancellation },
      context,
    );
  }
}
