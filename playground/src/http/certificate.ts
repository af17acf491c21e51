import 'reflect-metadata'; // for tsyringe, which x509 is built with
import { KeyObject, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** A self-signed certificate with its key, both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * Makes a certificate for names and addresses of this machine, valid for 30 days. A client that trusts it as an
 * authority trusts no other certificate by it.
 */
export async function makeCertificate(hosts: readonly string[], nowMs: number): Promise<Certificate> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(16).toString('hex'),
    name: 'CN=Partner BFF playground',
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: new Date(nowMs + 30 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new SubjectAlternativeNameExtension(
        hosts.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const),
      ),
    ],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { cert: `${certificate.toString('pem')}\n`, key: key.toString() };
}

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

/**
 * A certificate for this host, TLS 1.2 or newer (interface.md 4.1).
 * @param certificateFile where to write the certificate, for clients to trust
 */
export async function makeTls(host: string, nowMs: number, certificateFile?: string): Promise<TlsMaterial> {
  const hosts = [...new Set(['localhost', '127.0.0.1', '::1', host])];
  const material = await makeCertificate(hosts, nowMs);
  if (certificateFile !== undefined) await writeFile(certificateFile, material.cert);
  return { minVersion: 'TLSv1.2', ...material, ciphers: CIPHERS };
}
