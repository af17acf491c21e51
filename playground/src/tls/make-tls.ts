import type { SecureVersion } from 'node:tls';
import { makeCertificate } from './certificate.js';

/** The TLS versions to accept. The interface requires 1.2 or newer (interface.md 4.1); older ones are for tests. */
export interface TlsOptions {
  readonly minVersion?: SecureVersion;
  readonly maxVersion?: SecureVersion;
}

/** What node's TLS server needs. */
export interface TlsMaterial extends TlsOptions {
  readonly cert: string;
  readonly key: string;
  readonly ciphers?: string;
}

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
    ...(isOld ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
  };
}
