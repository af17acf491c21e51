import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '../config/load-config.js';
import { algorithmsOf, type Algorithm } from './algorithms.js';
import type { Condition } from '../telemetry/health.js';
import type { KeyHint, KeySource } from './key-source.js';

interface FixedKey {
  readonly key: KeyObject;
  readonly algorithms: readonly Algorithm[];
}

/** The keys of one value of a setting: one, or during a rotation more. */
export class FixedKeySource implements KeySource {
  readonly generation = 0;
  readonly currentAt = undefined;

  private constructor(
    private readonly keys: readonly FixedKey[],
    readonly algorithms: readonly Algorithm[],
  ) {}

  /**
   * The key of `END_USER_SECRET`, and the one before it on a second line.
   * @param algorithms `END_USER_ALGORITHMS`; HS256 when empty
   */
  static secret(secret: string, algorithms: readonly Algorithm[]): FixedKeySource {
    const accepted = algorithms.length > 0 ? algorithms : (['HS256'] as const);
    const lines = secret.split('\n').map((line) => createSecretKey(Buffer.from(line)));
    return new FixedKeySource(
      lines.map((key) => ({ key, algorithms: accepted })),
      accepted,
    );
  }

  /**
   * The keys of `END_USER_PUBLIC_KEY`.
   * @param text PEM (SPKI), its line ends possibly written as `\n`, one block after the other; or a JWK, or a JWK set
   * @param algorithms `END_USER_ALGORITHMS`; those of the keys when empty
   * @throws ConfigError naming the variable
   */
  static publicKey(text: string, algorithms: readonly Algorithm[]): FixedKeySource {
    const keys = readPublicKeys(text.trim()).map((key) => ({ key, algorithms: algorithmsOf(key) }));
    const unfitKey = keys.find((key) => key.algorithms.length === 0);
    if (unfitKey) throw unfit(unsupported(unfitKey.key));
    const possible = [...new Set(keys.flatMap((key) => key.algorithms))];
    if (!algorithms.every((name) => possible.includes(name))) {
      throw new ConfigError([
        `END_USER_ALGORITHMS does not fit END_USER_PUBLIC_KEY, which can verify ${possible.join(', ')}`,
      ]);
    }
    return new FixedKeySource(keys, algorithms.length > 0 ? algorithms : possible);
  }

  /** The keys that can verify by the algorithm, in the order given. */
  find({ alg }: KeyHint): readonly KeyObject[] {
    return this.keys.filter(({ algorithms }) => algorithms.includes(alg)).map(({ key }) => key);
  }

  condition(): Condition {
    return { state: 'up' };
  }

  async close(): Promise<void> {}
}

function readPublicKeys(text: string): KeyObject[] {
  if (text.includes('PRIVATE KEY')) throw unfit('holds a private key; give the public key alone');
  try {
    if (!text.startsWith('{')) return pemBlocks(text).map((pem) => createPublicKey(pem));
    const jwk = JSON.parse(text) as Record<string, unknown>;
    const set = Array.isArray(jwk['keys']) ? (jwk['keys'] as Record<string, unknown>[]) : [jwk];
    if (set.length === 0) throw unfit('is a JWK set without a key');
    return set.map(readJwk);
  } catch (error) {
    throw error instanceof ConfigError ? error : unfit('is neither a PEM public key (SPKI) nor a JWK');
  }
}

function readJwk(jwk: Record<string, unknown>): KeyObject {
  if ('d' in jwk) throw unfit('holds a private key; give the public key alone');
  if (jwk['kty'] === 'oct') throw unfit('holds a shared secret; that belongs in END_USER_SECRET');
  return createPublicKey({ key: jwk, format: 'jwk' });
}

/** Each PEM; anything but `BEGIN PUBLIC KEY` is refused, a certificate above all: nobody would check its dates. */
function pemBlocks(text: string): string[] {
  const blocks = text.replaceAll('\\n', '\n').split(/(?=-----BEGIN )/);
  if (!blocks.every((pem) => pem.startsWith('-----BEGIN PUBLIC KEY-----'))) throw new Error('not SPKI');
  return blocks;
}

function unsupported(key: KeyObject): string {
  if (key.asymmetricKeyType === 'rsa') return 'is an RSA key of fewer than 2048 bits';
  return `is a key of type ${key.asymmetricKeyType}, which cannot verify tokens here; use RSA, or EC on P-256, P-384 or P-521`;
}

function unfit(fault: string): ConfigError {
  return new ConfigError([`END_USER_PUBLIC_KEY ${fault}`]);
}
