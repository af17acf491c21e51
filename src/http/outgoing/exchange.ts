import type { IncomingHttpHeaders } from 'node:http';
import type { LookupFunction } from 'node:net';
import { Pool, type Dispatcher } from 'undici';
import type { Cancellation } from '../cancellation.js';
import { tunnelThrough } from './outbound-proxy.js';

/** How an exchange with another server can fail. */
type ExchangeFaultKind = 'timeout' | 'connection' | 'too_large' | 'aborted' | 'forbidden';

/** An exchange that did not get a complete answer. Its message holds no address, header or body. */
export class ExchangeFault extends Error {
  override readonly name = 'ExchangeFault';

  constructor(
    readonly kind: ExchangeFaultKind,
    /** The status of an answer that had begun; 0 without one. */
    readonly status = 0,
    cause?: unknown,
  ) {
    super(`exchange failed: ${kind}`, { cause });
  }
}

/** A request with its body in memory. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** Path and query on the client's origin. */
  readonly path: string;
  /** Of this request alone: the client adds tracing headers and User-Agent to the very object. */
  readonly headers: Record<string, string>;
  readonly body?: string | Buffer | undefined;
  /** Time for the whole exchange, connecting included; for a stream, until its head. */
  readonly timeoutMs: number;
  /** Largest body of the answer; a stream is not bounded. */
  readonly bodyBytesMax: number;
  /** Cancels the exchange; the promise then rejects with kind `aborted`. */
  readonly cancellation?: Cancellation | undefined;
}

/** A complete answer. A redirect is an answer like any other and is never followed. */
export interface IncomingAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const CONNECT_TIMEOUT_MS = 2_000;

/** How connections are made. */
export interface Connecting {
  /** 2,000 by default. */
  readonly timeoutMs?: number;
  /** Finds the addresses of a host, in place of the system's resolver; not asked where there is a proxy. */
  readonly lookup?: LookupFunction;
  /** The HTTP proxy through which the origin is called. */
  readonly proxy?: URL | undefined;
}

/**
 * The connections to one origin, opened on demand. TLS is verified and at least 1.2 (interface 4.1); HTTP/2 is
 * used when offered. Everything that leaves the service over HTTP goes through one.
 */
export function openPool(origin: URL, connectionsMax: number, connecting: Connecting = {}): Pool {
  const { timeoutMs: timeout = CONNECT_TIMEOUT_MS, proxy, ...resolving } = connecting;
  const tls = { timeout, minVersion: 'TLSv1.2' as const };
  return new Pool(origin.origin, {
    connections: connectionsMax,
    connect: proxy ? tunnelThrough(proxy, { ...tls, allowH2: true }) : { ...tls, ...resolving },
    headersTimeout: 0, // the deadline of each exchange covers headers and body
    bodyTimeout: 0,
    allowH2: true,
  });
}

/** Called when an exchange has ended, with the status of its answer or the kind of its fault; must not throw. */
export type ExchangeEnd = (outcome: number | ExchangeFaultKind) => void;

/** True if an answer must not be read: the exchange then fails with kind `forbidden`. */
export type IsForbidden = (answer: IncomingAnswer) => boolean;

/**
 * Sends one request and collects its answer, within a deadline and a size.
 * @throws ExchangeFault
 */
export function exchange(
  pool: Pool,
  request: OutgoingRequest,
  onEnd?: ExchangeEnd,
  isForbidden?: IsForbidden,
): Promise<IncomingAnswer> {
  return new Promise((resolve, reject) => {
    new Exchange(request, resolve, reject, onEnd, isForbidden).start(pool);
  });
}

/** One exchange. A dispatch handler, since promises and streams for each body would cost more than the work itself. */
class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private timer: NodeJS.Timeout | undefined;
  private settled = false;
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly request: OutgoingRequest,
    private readonly resolve: (answer: IncomingAnswer) => void,
    private readonly reject: (fault: ExchangeFault) => void,
    private readonly onEnd: ExchangeEnd | undefined,
    private readonly isForbidden: IsForbidden | undefined,
  ) {}

  start(pool: Pool): void {
    const { method, path, headers, body, timeoutMs, cancellation } = this.request;
    if (cancellation?.cancelled) {
      this.fail('aborted');
      return;
    }
    this.timer = setTimeout(() => this.fail('timeout'), timeoutMs);
    cancellation?.onCancel(this.onCancel);
    try {
      pool.dispatch({ method, path, headers, body: body ?? null }, this);
    } catch (error) {
      this.fail('connection', error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.settled) controller.abort(new Error('settled'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    if (Number(headers['content-length']) > this.request.bodyBytesMax) this.fail('too_large');
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > this.request.bodyBytesMax) this.fail('too_large');
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.settled) return;
    const body = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks, this.bytes);
    const answer = { status: this.status, headers: this.headers, body };
    const isForbidden = this.isForbidden?.(answer) === true;
    this.settle(isForbidden ? 'forbidden' : this.status);
    if (isForbidden) this.reject(new ExchangeFault('forbidden', this.status));
    else this.resolve(answer);
  }

  onResponseError(_controller: Dispatcher.DispatchController, fault: Error): void {
    this.fail('connection', fault);
  }

  private readonly onCancel = (): void => this.fail('aborted');

  private fail(kind: ExchangeFaultKind, cause?: unknown): void {
    if (!this.settle(kind)) return;
    this.controller?.abort(new Error(kind));
    this.reject(new ExchangeFault(kind, this.status, cause));
  }

  private settle(outcome: number | ExchangeFaultKind): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.onEnd?.(outcome);
    clearTimeout(this.timer);
    this.request.cancellation?.offCancel(this.onCancel);
    return true;
  }
}
