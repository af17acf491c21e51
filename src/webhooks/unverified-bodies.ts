import { BffError } from '../errors/bff-error.js';

/** What bodies of unknown senders may hold together (contract, "Rules of all public routes"). */
export const UNVERIFIED_BYTES_MAX = 67_108_864;
const RETRY_AFTER_SECONDS = 5;

/** The bytes of webhooks whose signature is not verified yet: bounded for all of them together, since anyone can send. */
export class UnverifiedBodies {
  private held = 0;

  constructor(private readonly bytesMax = UNVERIFIED_BYTES_MAX) {}

  /** @throws BffError `unavailable` when they do not fit; the sender tries again */
  take(bytes: number): void {
    if (this.held + bytes > this.bytesMax)
      throw new BffError('unavailable', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        message: 'too many webhook bodies are under way',
      });
    this.held += bytes;
  }

  give(bytes: number): void {
    this.held -= bytes;
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.held;
  }
}
