import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import {
  bits,
  boolean,
  explicit,
  implicit,
  instant,
  integer,
  octets,
  oid,
  sequence,
  set,
  utf8,
} from './der.js';

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const DAY_MS = 86_400_000;

/** A certificate that trusts itself, with its key, both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * Makes a certificate (RFC 5280) for names and addresses of this machine, good for 30 days. Clients trust it by taking
 * it as their only authority.
 */
export function makeCertificate(hosts: readonly string[], nowMs: number): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(oid('2.5.4.3'), utf8('Partner BFF playground'))));
  const subjectAltName = sequence(
    ...hosts.map((host) => (isIP(host) ? implicit(7, addressOf(host)) : implicit(2, Buffer.from(host)))),
  );
  const extensions = sequence(
    sequence(oid('2.5.29.19'), boolean(true), octets(sequence(boolean(true)))),
    sequence(oid('2.5.29.17'), octets(subjectAltName)),
  );
  const content = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(randomBytes(16)),
    ECDSA_WITH_SHA256,
    name,
    sequence(instant(new Date(nowMs - DAY_MS)), instant(new Date(nowMs + 30 * DAY_MS))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, extensions),
  );
  const der = sequence(content, ECDSA_WITH_SHA256, bits(sign('sha256', content, privateKey)));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function addressOf(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from(host.split('.').map(Number));
  const [left = '', right = ''] = host.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const zeros = Array.from({ length: 8 - groups(left).length - groups(right).length }, () => '0');
  const all = [...groups(left), ...zeros, ...groups(right)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
