import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { BffError } from '../errors/bff-error.js';
import { METHODS } from './incoming/other-methods.js';
import type { RequestContext } from './request-context.js';

/** A request that is over: its answer is complete, or its caller has disconnected. */
export interface EndedRequest {
  readonly context: RequestContext;
  /** Pattern of the route; `none` for an unknown path. */
  readonly route: string;
  /** The options that the route declares. */
  readonly config: Readonly<FastifyContextConfig>;
  /** `other` for a method that no route has. */
  readonly method: string;
  /** Of the answer; 499 when the caller disconnected before it was complete. */
  readonly status: number;
  /** True if CORS answered in place of the route: the caller has asked for nothing yet. */
  readonly isPreflight: boolean;
  /** Why it was refused or failed, as far as it was known when the request ended. */
  readonly failure: BffError | undefined;
  readonly elapsedMs: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Called at the end of each request; must not throw. */
export type EndListener = (ended: EndedRequest) => void;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Calls `listener` once for each request, however it ends: answered, refused by any hook, of an unknown path or
     * another method, or left by its caller. Nothing else tells of an end. {@link EndedRequest.isPreflight} is for
     * those who count what was asked for.
     */
    readonly onEnd: (listener: EndListener) => void;
  }
}

/** The subscribers to the ends of a listener's requests. */
export class RequestEnds {
  private readonly listeners: EndListener[];

  constructor(...listeners: EndListener[]) {
    this.listeners = listeners;
  }

  add(listener: EndListener): void {
    this.listeners.push(listener);
  }

  /** @param status see {@link EndedRequest} */
  announce(request: FastifyRequest, status: number): void {
    const ended = endOf(request, status);
    for (const listener of this.listeners) listener(ended);
  }
}

/** The end of a request, now. */
export function endOf(request: FastifyRequest, status: number): EndedRequest {
  const { context, method } = request;
  const { url = 'none', config } = request.routeOptions;
  const { failure } = context;
  return {
    context,
    route: url,
    config,
    method: (METHODS as readonly string[]).includes(method) ? method : 'other',
    status,
    isPreflight: method === 'OPTIONS' && failure === undefined, // every other OPTIONS request is refused
    failure,
    elapsedMs: performance.now() - context.startedAt,
    at: Date.now(),
  };
}
