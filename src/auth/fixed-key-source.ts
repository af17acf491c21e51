import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '../config/load-config.js';
import { algorithmsOf, type Algorithm } from './algorithms.js';
import type { Condition } from '../telemetry/health.js';
import type { KeyHint, KeySource } from './key-source.js';

interface FixedKey {
  readonly key: KeyObject;
  readonly algorithms: readonly Algorithm[];
}

/** The keys in one value of a setting: one, or several during a rotation. */
export class FixedKeySource implements KeySource {
  readonly generation = 0;
  readonly currentAt = undefined;

  private constructor(
    private readonly keys: readonly FixedKey[],
    readonly algorithms: readonly Algorithm[],
  ) {}

  /**
   * The key of `END_USER_SECRET`; during a rotation the previous one follows on a second line.
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
   * @param text PEM (SPKI) blocks, their line ends possibly written as `\n`; or a JWK, or a JWK set
   * @param algorithms `END_USER_ALGORITHMS`; those of the keys when empty
   * @throws ConfigError naming the setting
   */
  static publicKey(text: string, algorithms: readonly Algorithm[]): FixedKeySource {
    const keys = readPublicKeys(text.trim()).map((key) => ({ key, algorithms: algorithmsOf(key) }));
    const unsupported = keys.find((key) => key.algorithms.length === 0);
    if (unsupported) throw invalid(describeUnsupported(unsupported.key));
    const possible = [...new Set(keys.flatMap((key) => key.algorithms))];
    if (!algorithms.every((name) => possible.includes(name))) {
      throw new ConfigError([
        `END_USER_ALGORITHMS does not fit END_USER_PUBLIC_KEY, which can verify ${possible.join(', ')}`,
      ]);
    }
    return new FixedKeySource(keys, algorithms.length > 0 ? algorithms : possible);
  }

  /** Every key that can verify the algorithm, in the order given; these keys have no ids. */
  find({ alg }: KeyHint): readonly KeyObject[] {
    if (!this.algorithms.includes(alg)) throw new Error('no key fits');
    return this.keys.filter(({ algorithms }) => algorithms.includes(alg)).map(({ key }) => key);
  }

  condition(): Condition {
    return { state: 'up' };
  }
}

function readPublicKeys(text: string): KeyObject[] {
  if (text.includes('PRIVATE KEY')) throw invalid('holds a private key; give the public key alone');
  try {
    if (!text.startsWith('{')) return pemBlocks(text).map((pem) => createPublicKey(pem));
    const jwk = JSON.parse(text) as Record<string, unknown>;
    const set = Array.isArray(jwk['keys']) ? (jwk['keys'] as Record<string, unknown>[]) : [jwk];
    if (set.length === 0) throw invalid('is a JWK set without a key');
    return set.map(readJwk);
  } catch (error) {
    throw error instanceof ConfigError ? error : invalid('is neither a PEM public key (SPKI) nor a JWK');
  }
}

function readJwk(jwk: Record<string, unknown>): KeyObject {
  if ('d' in jwk) throw invalid('holds a private key; give the public key alone');
  if (jwk['kty'] === 'oct') throw invalid('holds a shared secret; that belongs in END_USER_SECRET');
  return createPublicKey({ key: jwk, format: 'jwk' });
}

/** Refuses anything but `BEGIN PUBLIC KEY`; above all certificates, whose dates would go unchecked. */
function pemBlocks(text: string): string[] {
  const blocks = text.replaceAll('\\n', '\n').split(/(?=-----BEGIN )/);
  if (!blocks.every((pem) => pem.startsWith('-----BEGIN PUBLIC KEY-----'))) throw new Error('not SPKI');
  return blocks;
}

function describeUnsupported(key: KeyObject): string {
  if (key.asymmetricKeyType === 'rsa') return 'is an RSA key of fewer than 2048 bits';
  return `is a key of type ${key.asymmetricKeyType}, which cannot verify tokens here; use RSA, or EC on P-256, P-384 or P-521`;
}

function invalid(fault: string): ConfigError {
  return new ConfigError([`END_USER_PUBLIC_KEY ${fault}`]);
}
