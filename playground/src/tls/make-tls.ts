import type { SecureVersion } from 'node:tls';
import { makeCertificate } from './certificate.js';

/** The TLS versions to accept. The interface requires 1.2 or newer (interface.md 4.1); older ones are for tests. */
export interface TlsOptions {
  readonly minVersion?: SecureVersion;
  readonly maxVersion?: SecureVersion;
}

/** The options that Node's TLS server needs. */
export interface TlsMaterial extends TlsOptions {
  readonly cert: string;
  readonly key: string;
  readonly ciphers: string;
}

/** Suites with forward secrecy and authenticated encryption; those of TLS 1.0 and 1.1 are out (interface.md 4.1). */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
].join(':');

/** A certificate for this host and the versions to speak, TLS 1.2 or newer by default. */
export async function makeTls(options: true | TlsOptions, host: string, nowMs: number): Promise<TlsMaterial> {
  const versions = options === true ? {} : options;
  const hosts = [...new Set(['localhost', '127.0.0.1', '::1', host])];
  const isOld = versions.minVersion === 'TLSv1' || versions.minVersion === 'TLSv1.1';
  return {
    minVersion: 'TLSv1.2',
    ...versions,
    ...(await makeCertificate(hosts, nowMs)),
    // Old versions need signatures that OpenSSL refuses at its usual level.
    ciphers: isOld ? 'DEFAULT@SECLEVEL=0' : CIPHERS,
  };
}
