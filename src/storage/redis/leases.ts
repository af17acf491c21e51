import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { every } from '../../concurrency/every.js';
import { within } from '../../concurrency/within.js';
import type { RedisConnection } from './redis-connection.js';

const KEY_PREFIX = 'bff:lease:';
/** Receives the key of each lease that has ended. */
const CHANNEL = 'bff:leases-ended';
/** A replica that dies is relieved after so long; one that lives extends its lease three times as often. */
const LEASE_MS = 3_000;
/** A notice that a lease has ended may be lost. */
const LOOK_AGAIN_MS = 500;
const EXTEND = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end";
const END = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
redis.call('PUBLISH', ARGV[2], ARGV[3])`;

/** The right of one replica, of all that use the same Redis, to do the work of a key. */
export interface Lease {
  /** Wakes those who wait for it; after every command that was sent before. */
  end(): void;
}

/** Waits for the end of a lease; leaves in any case. */
export interface LeaseWaiter {
  /** Resolves when the lease has ended, or may have, after `ms` at most. */
  wait(ms: number): Promise<void>;
  leave(): void;
}

/**
 * Leases in Redis. A lease keeps work from being done twice, and protects nothing else: two replicas may hold one of the
 * same key for a moment, when Redis or the process of the first was held up for {@link LEASE_MS}.
 */
export class Leases {
  private readonly ended = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly redis: RedisConnection,
    private readonly lookAgainMs = LOOK_AGAIN_MS,
  ) {
    redis.subscribe(CHANNEL, (key) => this.ended.emit(eventOf(key)));
  }

  /**
   * The lease, extended until it ends; `taken` when another has it; undefined when Redis does not say within 100 ms.
   * Never rejects.
   */
  async take(key: string): Promise<Lease | 'taken' | undefined> {
    const id = randomUUID();
    const options = { condition: 'NX', expiration: { type: 'PX', value: LEASE_MS } } as const;
    const answer = await this.redis.ask((client) => client.set(KEY_PREFIX + key, id, options));
    if (answer !== 'OK') return answer === undefined ? undefined : 'taken';
    const extending = every(LEASE_MS / 3, () => this.run(EXTEND, key, [id, `${LEASE_MS}`]), nothing);
    return {
      end: () => {
        void extending.stop();
        void this.run(END, key, [id, CHANNEL, key]);
      },
    };
  }

  /** Someone who may have to wait, from before {@link take} on, so that no end is missed. */
  waiter(key: string): LeaseWaiter {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended.once(eventOf(key), resolve);
    return {
      wait: async (ms) => void (await within(Math.min(ms, this.lookAgainMs), promise)),
      leave: () => void this.ended.off(eventOf(key), resolve),
    };
  }

  private async run(script: string, key: string, values: string[]): Promise<void> {
    await this.redis.ask((client) => client.eval(script, { keys: [KEY_PREFIX + key], arguments: values }));
  }
}

/** `error` is a name that emitters treat in their own way. */
function eventOf(key: string): string {
  return `ended ${key}`;
}

function nothing(): void {}
