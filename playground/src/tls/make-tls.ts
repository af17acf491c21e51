import { makeCertificate, type Certificate } from './certificate.js';

/** The options that Node's TLS server needs. */
export interface TlsMaterial extends Certificate {
  readonly minVersion: 'TLSv1.2';
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

/** A certificate for this host, TLS 1.2 or newer (interface.md 4.1). */
export async function makeTls(host: string, nowMs: number): Promise<TlsMaterial> {
  const hosts = [...new Set(['localhost', '127.0.0.1', '::1', host])];
  return { minVersion: 'TLSv1.2', ...(await makeCertificate(hosts, nowMs)), ciphers: CIPHERS };
}
