import { crc32 } from 'node:zlib';
import { Cancellation } from '../../http/cancellation.js';
import { ExchangeFault } from '../../http/outgoing/exchange.js';

/** A request, and who may share its answer. */
export interface SharedRequest {
  /** The audience of the answer: only calls with the same audience share one. */
  readonly audience: string;
  readonly body: Buffer;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
}

/** With this many members, the next request starts work of its own. */
const MEMBERS_MAX = 1_000;
/** Places for work that is under way: of different requests with one place, only the first is shared. */
const PLACES = 16_384;

interface Member<T> {
  readonly cancellation: Cancellation;
  readonly leave: () => void;
  readonly resolve: (result: T) => void;
  readonly reject: (fault: unknown) => void;
}

/**
 * Lets equal requests at the same time share one answer. Nothing is kept once it is there. A request that is cancelled,
 * the first one included, leaves alone; when all have left, the work is cancelled. A request does not join work that
 * has less than half of the request's own time left, so that work which hangs does not fail a later request early.
 */
export class Coalescer<T> {
  /** By place. A map would make a new table every few requests, and the old ones keep ended work in memory (ADR 0004). */
  private readonly flights = new Array<Flight<T> | undefined>(PLACES).fill(undefined);

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * The work for a request: that of an equal request, the same audience and the very same body, or still to be started.
   */
  flightFor(request: SharedRequest): Flight<T> {
    const sum = crc32(request.audience, crc32(request.body)); // narrows the search; only equal texts are the same
    const place = sum % PLACES;
    const known = this.flights[place];
    if (known?.isJoinable(request, this.now())) return known;
    const flight = new Flight<T>(request, place, this.flights);
    if (!known || known.isFor(request)) this.flights[place] = flight; // otherwise it shares with nobody
    return flight;
  }
}

/** Work for equal requests, and those that wait for it. Once it has ended it holds nothing. */
class Flight<T> {
  /** Fires when nobody waits for the work any more. */
  readonly cancellation = new Cancellation();
  private members: Member<T>[] = [];
  private isStarted = false;

  constructor(
    private request: SharedRequest | undefined,
    private readonly place: number,
    private readonly flights: (Flight<T> | undefined)[],
  ) {}

  /** True if the work was started. */
  get isUnderWay(): boolean {
    return this.isStarted;
  }

  /** True if the work is for a request of this audience and body. */
  isFor({ audience, body }: SharedRequest): boolean {
    return this.request?.audience === audience && this.request.body.equals(body);
  }

  /** True if the request may wait for the work. */
  isJoinable(request: SharedRequest, now: number): boolean {
    if (!this.request || this.members.length >= MEMBERS_MAX || !this.isFor(request)) return false;
    return this.request.deadline - now >= (request.deadline - now) / 2;
  }

  /**
   * Waits for the work.
   * @throws ExchangeFault of kind `aborted` when `cancellation` fires; whatever the work throws
   */
  join(cancellation: Cancellation): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const member = { cancellation, leave: () => this.leave(member), resolve, reject };
      this.members.push(member);
      cancellation.onCancel(member.leave);
    });
  }

  /** Gives the outcome of the work, which has been started, to all who wait. */
  follow(work: Promise<T>): void {
    this.isStarted = true;
    work.then(
      (result) => {
        for (const { resolve } of this.land()) resolve(result);
      },
      (fault: unknown) => {
        for (const { reject } of this.land()) reject(fault);
      },
    );
  }

  private leave(member: Member<T>): void {
    this.members.splice(this.members.indexOf(member), 1);
    member.reject(new ExchangeFault('aborted', true));
    if (this.members.length > 0) return;
    this.forget();
    this.cancellation.cancel();
  }

  private land(): readonly Member<T>[] {
    const { members } = this;
    for (const { cancellation, leave } of members) cancellation.offCancel(leave);
    this.forget();
    return members;
  }

  private forget(): void {
    if (this.flights[this.place] === this) this.flights[this.place] = undefined;
    this.request = undefined;
    this.members = [];
  }
}
