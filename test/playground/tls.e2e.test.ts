import { connect, type SecureVersion } from 'node:tls';
import { get } from 'node:https';
import { startPlayground, type Playground } from '../../playground/src/playground.js';

/** Shakes hands with these versions only; resolves to what was agreed, rejects when nothing was. */
async function shake(
  playground: Playground,
  minVersion: SecureVersion,
  maxVersion: SecureVersion,
): Promise<string | null> {
  const { hostname, port } = new URL(playground.upstreamUrl);
  const ca = playground.certificate ?? '';
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: hostname, port: Number(port), ca, minVersion, maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' },
      () => {
        resolve(socket.getProtocol());
        socket.destroy();
      },
    );
    socket.on('error', reject);
  });
}

describe('TLS on request', () => {
  test('4.1 speaks TLS 1.2 and 1.3 with a certificate that clients can trust, and refuses TLS 1.1', async () => {
    const playground = await startPlayground({ port: 0, tls: true });
    try {
      expect(playground.settings['UPSTREAM_URL']).toMatch(/^https:\/\/127\.0\.0\.1:/);
      expect(await shake(playground, 'TLSv1.2', 'TLSv1.2')).toBe('TLSv1.2');
      expect(await shake(playground, 'TLSv1.3', 'TLSv1.3')).toBe('TLSv1.3');
      await expect(shake(playground, 'TLSv1', 'TLSv1.1')).rejects.toThrow(/protocol version|unsupported/i);
      const status = await new Promise((resolve, reject) => {
        const options = { ca: playground.certificate, agent: false as const };
        get(`${playground.issuerUrl}/.well-known/jwks.json`, options, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on('error', reject);
      });
      expect(status).toBe(200);
    } finally {
      await playground.close();
    }
  });

  test('speaks old versions only on request, for testing that clients refuse them', async () => {
    const playground = await startPlayground({
      port: 0,
      tls: { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' },
    });
    try {
      expect(await shake(playground, 'TLSv1.1', 'TLSv1.1')).toBe('TLSv1.1');
      await expect(shake(playground, 'TLSv1.2', 'TLSv1.3')).rejects.toThrow();
    } finally {
      await playground.close();
    }
  });
});
