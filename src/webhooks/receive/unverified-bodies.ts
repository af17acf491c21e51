import { BffError } from '../../errors/bff-error.js';

/** Most bytes that unverified bodies hold together. */
const UNVERIFIED_BYTES_MAX = 67_108_864;
const RETRY_AFTER_SECONDS = 5;
/** From this age on a body can lose its place; the upstream sends one in a fraction of the time. */
const UNDISTURBED_MS = 1_000;

interface Held {
  readonly since: number;
  bytes: number;
  readonly cut: (error: Error) => void;
}

/**
 * Bounds the bytes of webhooks whose signature is not verified yet, for all of them together, since anyone can send them.
 * When another body does not fit, bodies that have been arriving for more than a second are cut to make room, so that
 * slow senders cannot keep the upstream out. When there are none, the new body is refused.
 */
export class UnverifiedBodies {
  /** Oldest first. */
  private readonly bodies = new Set<Held>();
  private held = 0;

  /** @param now a clock in milliseconds */
  constructor(
    private readonly bytesMax = UNVERIFIED_BYTES_MAX,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Opens the share of one body.
   * @param cut refuses the body when others need its room, and ends its share
   */
  open(cut: (error: Error) => void): { take(bytes: number): void; end(): void } {
    const body: Held = { since: this.now(), bytes: 0, cut };
    this.bodies.add(body);
    return {
      take: (bytes) => this.take(body, bytes),
      end: () => {
        this.bodies.delete(body);
        this.held -= body.bytes;
        body.bytes = 0;
      },
    };
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.held;
  }

  /** @throws BffError `unavailable` */
  private take(body: Held, bytes: number): void {
    if (this.held + bytes > this.bytesMax) this.makeRoom(body, bytes);
    if (this.held + bytes > this.bytesMax) throw tooMany();
    this.held += bytes;
    body.bytes += bytes;
  }

  private makeRoom(body: Held, bytes: number): void {
    const before = this.now() - UNDISTURBED_MS;
    for (const other of this.bodies) {
      if (other.since > before || this.held + bytes <= this.bytesMax) return;
      if (other !== body) other.cut(tooMany());
    }
  }
}

function tooMany(): BffError {
  return new BffError('unavailable', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    message: 'too many webhook bodies are arriving',
  });
}
