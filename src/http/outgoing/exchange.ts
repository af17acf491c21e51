import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import type { Cancellation } from '../request-context.js';

const NOTHING = Buffer.alloc(0);

export type ExchangeFaultKind = 'timeout' | 'connection' | 'too_large' | 'aborted' | 'forbidden';

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

/** How long an exchange may last, and what it may bring. */
export interface ExchangeBounds {
  /** Time for the whole exchange, connecting included; for a stream, until its head. */
  readonly timeoutMs: number;
  /** Largest body of the answer; a stream is not bounded. */
  readonly bodyBytesMax: number;
  /** Cancels the exchange; the promise then rejects with kind `aborted`. */
  readonly cancellation?: Cancellation | undefined;
}

/** A request with its body in memory. */
export class OutgoingRequest {
  /**
   * @param path path and query on the client's origin
   * @param headers of this request alone: the client adds tracing headers and User-Agent to the very object
   */
  constructor(
    readonly method: 'GET' | 'HEAD' | 'POST',
    readonly path: string,
    readonly headers: Record<string, string>,
    readonly bounds: ExchangeBounds,
    readonly body: string | Buffer | null = null,
  ) {}
}

/** A complete answer. A redirect is an answer like any other and is never followed. */
export class IncomingAnswer {
  constructor(
    readonly status: number,
    readonly headers: IncomingHttpHeaders,
    readonly body: Buffer,
  ) {}
}

/** Sends one request and collects its answer; as a dispatch handler, since promises for each body cost more. */
export class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private timer: NodeJS.Timeout | undefined;
  private settled = false;
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  /** Grows with what has arrived: a list would take hundreds of times the size of an answer in small pieces. */
  private body: Buffer = NOTHING;
  private bytes = 0;

  /**
   * @param onEnd called first, with the status of the answer or the kind of the fault; must not throw
   * @param isForbidden whether an answer must not be read: the exchange then fails with kind `forbidden`
   */
  constructor(
    private readonly request: OutgoingRequest,
    private readonly resolve: (answer: IncomingAnswer) => void,
    private readonly reject: (fault: ExchangeFault) => void,
    private readonly onEnd: (outcome: number | ExchangeFaultKind) => void,
    private readonly isForbidden?: (answer: IncomingAnswer) => boolean,
  ) {}

  start(pool: Pool): void {
    const { method, path, headers, body, bounds } = this.request;
    const { timeoutMs, cancellation } = bounds;
    if (cancellation?.cancelled) return this.fail('aborted');
    this.timer = setTimeout(() => this.fail('timeout'), timeoutMs);
    cancellation?.on('abort', this.onCancel);
    try {
      pool.dispatch({ method, path, headers, body }, this);
    } catch (error) {
      this.fail('connection', error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.settled) controller.abort(new Error('settled'));
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    if (Number(headers['content-length']) > this.request.bounds.bodyBytesMax) this.fail('too_large');
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    const { bodyBytesMax } = this.request.bounds;
    const length = this.bytes + chunk.length;
    if (length > bodyBytesMax) return this.fail('too_large');
    if (this.bytes === 0) {
      this.body = chunk;
    } else {
      const capacity = Math.min(Math.max(length, 2 * this.body.length), bodyBytesMax);
      if (length > this.body.length) this.body = Buffer.concat([this.body], capacity);
      chunk.copy(this.body, this.bytes);
    }
    this.bytes = length;
  }

  onResponseEnd(): void {
    if (this.settled) return;
    const body = this.bytes === this.body.length ? this.body : this.body.subarray(0, this.bytes);
    const answer = new IncomingAnswer(this.status, this.headers, body);
    this.controller = undefined; // there is nothing left to abort
    if (this.isForbidden?.(answer)) return this.fail('forbidden');
    this.settle(this.status);
    this.resolve(answer);
  }

  onResponseError(_controller: unknown, fault: Error): void {
    this.fail('connection', fault);
  }

  private readonly onCancel = (): void => this.fail('aborted');

  private fail(kind: ExchangeFaultKind, cause?: unknown): void {
    if (this.settled) return;
    this.settle(kind);
    this.controller?.abort(new Error(kind));
    this.reject(new ExchangeFault(kind, this.status, cause));
  }

  private settle(outcome: number | ExchangeFaultKind): void {
    this.settled = true;
    this.onEnd(outcome);
    clearTimeout(this.timer);
    this.request.bounds.cancellation?.off('abort', this.onCancel);
  }
}
