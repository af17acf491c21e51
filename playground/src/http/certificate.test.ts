import { X509Certificate } from 'node:crypto';
import { makeCertificate } from './certificate.js';

describe('makeCertificate', () => {
  test('makes a self-signed certificate that is valid for its hosts and now', async () => {
    const now = Date.UTC(2026, 10, 21);
    const certificate = new X509Certificate(
      (await makeCertificate(['localhost', '127.0.0.1', '::1'], now)).cert,
    );
    expect(certificate.subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.ca).toBe(true);
    expect(Date.parse(certificate.validFrom)).toBeLessThan(now);
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(now);
  });
});
