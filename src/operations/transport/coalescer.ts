import { crc32 } from 'node:zlib';
import { Cancellation } from '../../http/cancellation.js';
import { UpstreamFault } from '../../http/outgoing/exchange.js';

/** Starts the work, which ends early when the cancellation fires. */
type Start<T> = (cancellation: Cancellation) => Promise<T>;

/** A request, and who may share its answer. */
export interface SharedRequest {
  /** Who may see the answer: only those with the same audience share one. */
  readonly audience: string;
  readonly body: Buffer;
  readonly cancellation: Cancellation;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
}

/** With this many members, the next request starts work of its own. */
const MEMBERS_MAX = 1_000;

interface Member<T> {
  readonly cancellation: Cancellation;
  readonly leave: () => void;
  readonly resolve: (result: T) => void;
  readonly reject: (fault: unknown) => void;
}

/** Work under way, and the requests that wait for it. */
interface Flight<T> {
  readonly key: string;
  readonly body: Buffer;
  /** That of the request that started it. */
  readonly deadline: number;
  readonly cancellation: Cancellation;
  readonly members: Member<T>[];
}

/**
 * Lets equal requests at the same time share one answer. Nothing is kept once it is there. A request that is cancelled,
 * the first one included, leaves alone; when all have left, the work is cancelled. A request does not join work that
 * has less than half of the request's own time left, so that work which hangs does not fail a later request early.
 */
export class Coalescer<T> {
  private readonly flights = new Map<string, Flight<T>>();

  /** @param onShared called when a request joins work under way */
  constructor(
    private readonly onShared: () => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Shares an answer only among those with the same audience and the very same body.
   * @throws UpstreamFault of kind `aborted` when `cancellation` fires; whatever `start` throws
   */
  join(request: SharedRequest, start: Start<T>): Promise<T> {
    const { audience, body, cancellation } = request;
    if (cancellation.cancelled) return Promise.reject(new UpstreamFault('aborted', false));
    const key = `${crc32(body)} ${audience}`; // the checksum narrows the search; only equal bytes are the same
    const known = this.flights.get(key);
    if (known && !known.body.equals(body)) return start(cancellation);
    if (!known || !this.isJoinable(known, request)) {
      return this.board(this.depart(key, request, start), cancellation);
    }
    this.onShared();
    return this.board(known, cancellation);
  }

  private isJoinable(flight: Flight<T>, { deadline }: SharedRequest): boolean {
    const now = this.now();
    return flight.members.length < MEMBERS_MAX && flight.deadline - now >= (deadline - now) / 2;
  }

  private depart(key: string, { body, deadline }: SharedRequest, start: Start<T>): Flight<T> {
    const flight: Flight<T> = { key, body, deadline, cancellation: new Cancellation(), members: [] };
    this.flights.set(key, flight);
    start(flight.cancellation).then(
      (result) => {
        for (const { resolve } of this.land(flight)) resolve(result);
      },
      (fault: unknown) => {
        for (const { reject } of this.land(flight)) reject(fault);
      },
    );
    return flight;
  }

  private board(flight: Flight<T>, cancellation: Cancellation): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const member = { cancellation, leave: () => this.leave(flight, member), resolve, reject };
      flight.members.push(member);
      cancellation.onCancel(member.leave);
    });
  }

  private leave(flight: Flight<T>, member: Member<T>): void {
    flight.members.splice(flight.members.indexOf(member), 1);
    member.reject(new UpstreamFault('aborted', true));
    if (flight.members.length > 0) return;
    this.forget(flight);
    flight.cancellation.cancel();
  }

  private land(flight: Flight<T>): readonly Member<T>[] {
    this.forget(flight);
    for (const { cancellation, leave } of flight.members) cancellation.offCancel(leave);
    return flight.members;
  }

  private forget(flight: Flight<T>): void {
    if (this.flights.get(flight.key) === flight) this.flights.delete(flight.key);
  }
}
