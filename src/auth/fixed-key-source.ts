import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '../config/load-config.js';
import type { Condition } from '../ops/health.js';
import { algorithmsOf, type Algorithm } from './algorithms.js';
import type { KeySource } from './key-source.js';

/** One key that does not change while the service runs. */
export class FixedKeySource implements KeySource {
  readonly generation = 0;
  readonly currentAt = undefined;

  private constructor(
    private readonly key: KeyObject,
    readonly algorithms: readonly Algorithm[],
  ) {}

  /**
   * The key of `END_USER_SECRET`.
   * @param algorithms `END_USER_ALGORITHMS`; HS256 when empty
   */
  static secret(secret: string, algorithms: readonly Algorithm[]): FixedKeySource {
    return new FixedKeySource(
      createSecretKey(Buffer.from(secret)),
      algorithms.length > 0 ? algorithms : ['HS256'],
    );
  }

  /**
   * The key of `END_USER_PUBLIC_KEY`.
   * @param text PEM (SPKI), its line ends possibly written as `\n`, or a JWK
   * @param algorithms `END_USER_ALGORITHMS`; those of the key when empty
   * @throws ConfigError naming the variable
   */
  static publicKey(text: string, algorithms: readonly Algorithm[]): FixedKeySource {
    const key = readPublicKey(text.trim());
    const possible = algorithmsOf(key);
    if (possible.length === 0) throw unfit(unsupported(key));
    if (!algorithms.every((name) => possible.includes(name))) {
      throw new ConfigError([
        `END_USER_ALGORITHMS does not fit END_USER_PUBLIC_KEY, which can verify ${possible.join(', ')}`,
      ]);
    }
    return new FixedKeySource(key, algorithms.length > 0 ? algorithms : possible);
  }

  find(): KeyObject {
    return this.key;
  }

  condition(): Condition {
    return { state: 'up' };
  }

  async close(): Promise<void> {}
}

function readPublicKey(text: string): KeyObject {
  if (text.includes('PRIVATE KEY')) throw unfit('holds a private key; give the public key alone');
  try {
    if (!text.startsWith('{')) return createPublicKey(spki(text));
    const jwk = JSON.parse(text) as Record<string, unknown>;
    if ('d' in jwk) throw unfit('holds a private key; give the public key alone');
    if (jwk['kty'] === 'oct') throw unfit('holds a shared secret; that belongs in END_USER_SECRET');
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch (fault) {
    throw fault instanceof ConfigError ? fault : unfit('is neither a PEM public key (SPKI) nor a JWK');
  }
}

/** The PEM itself; anything but `BEGIN PUBLIC KEY` is refused, a certificate above all: nobody would check its dates. */
function spki(text: string): string {
  const pem = text.replaceAll('\\n', '\n');
  if (!pem.startsWith('-----BEGIN PUBLIC KEY-----')) throw new Error('not SPKI');
  return pem;
}

function unsupported(key: KeyObject): string {
  if (key.asymmetricKeyType === 'rsa') return 'is an RSA key of fewer than 2048 bits';
  return `is a key of type ${key.asymmetricKeyType}, which cannot verify tokens here; use RSA, or EC on P-256, P-384 or P-521`;
}

function unfit(fault: string): ConfigError {
  return new ConfigError([`END_USER_PUBLIC_KEY ${fault}`]);
}
