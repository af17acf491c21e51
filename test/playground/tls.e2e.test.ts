import { connect as connectHttp2 } from 'node:http2';
import { X509Certificate } from 'node:crypto';
import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect, type ConnectionOptions, type SecureVersion } from 'node:tls';
import type { Fault } from '../../playground/src/faults/fault.js';
import { usePlayground } from './client.js';

const playground = usePlayground({ tls: true });

/** Shakes hands with these versions only; resolves to what was agreed, rejects when nothing was. */
async function shake(
  minVersion: SecureVersion,
  maxVersion: SecureVersion,
  options: ConnectionOptions = {},
): Promise<string | null> {
  const { hostname, port } = new URL(playground.upstreamUrl);
  const ca = playground.certificate ?? '';
  const offer = { minVersion, maxVersion, ciphers: 'DEFAULT@SECLEVEL=0', ...options };
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca, ...offer }, () => {
      resolve(options.ALPNProtocols === undefined ? socket.getProtocol() : String(socket.alpnProtocol));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

/** Asks for the version over HTTP/2; rejects when the answer breaks off. */
async function versionOverHttp2(): Promise<[status: unknown, body: string]> {
  const session = connectHttp2(playground.upstreamUrl, { ca: playground.certificate ?? '' });
  try {
    const headers = { ':method': 'POST', ':path': '/graphql', 'content-type': 'application/json' };
    return await new Promise((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request(headers).on('error', reject);
      stream.on('aborted', () => reject(new Error('aborted')));
      stream.on('response', ({ ':status': status }) => {
        text(stream).then((body) => resolve([status, body]), reject);
      });
      stream.on('close', () => reject(new Error('closed')));
      stream.end('{"query":"{ version }"}');
    });
  } finally {
    session.destroy();
  }
}

describe('TLS on request', () => {
  test('4.1 speaks TLS 1.2 and 1.3 with a certificate that clients can trust, and refuses TLS 1.1', async () => {
    expect(playground.settings['UPSTREAM_URL']).toMatch(/^https:\/\/127\.0\.0\.1:/);
    const { ca, subjectAltName } = new X509Certificate(playground.certificate!);
    const names = 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1';
    expect([ca, subjectAltName]).toEqual([true, names]);
    expect(await shake('TLSv1.2', 'TLSv1.2')).toBe('TLSv1.2');
    expect(await shake('TLSv1.3', 'TLSv1.3')).toBe('TLSv1.3');
    await expect(shake('TLSv1', 'TLSv1.1')).rejects.toThrow(/protocol version|unsupported/i);
    const status = await new Promise((resolve, reject) => {
      const options = { ca: playground.certificate, agent: false as const };
      get(`${playground.issuerUrl}/.well-known/jwks.json`, options, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
    expect(status).toBe(200);
  });

  test('4.1 refuses suites without authenticated encryption or forward secrecy, also in TLS 1.2', async () => {
    const only = async (ciphers: string) => shake('TLSv1.2', 'TLSv1.2', { ciphers });
    for (const weak of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'AES128-GCM-SHA256']) {
      await expect(only(`${weak}:@SECLEVEL=0`)).rejects.toThrow(/handshake failure/);
    }
    expect(await only('ECDHE-ECDSA-AES128-GCM-SHA256')).toBe('TLSv1.2');
  });

  test('speaks HTTP/2 to clients that can and HTTP/1.1 to the others, with the same faults', async () => {
    const agree = async (...ALPNProtocols: string[]) => shake('TLSv1.2', 'TLSv1.3', { ALPNProtocols });
    expect([await agree('h2', 'http/1.1'), await agree('http/1.1')]).toEqual(['h2', 'http/1.1']);
    const [status, body] = await versionOverHttp2();
    expect([status, JSON.parse(body)]).toMatchObject([200, { data: { version: expect.any(String) } }]);
    const faults: Fault[] = [{ reset: true }, { loseAnswer: true }, { truncate: true }];
    for (const fault of faults) {
      playground.faults.add({ route: 'graphql', ...fault });
      await expect(versionOverHttp2()).rejects.toThrow();
    }
    expect((await versionOverHttp2())[0]).toBe(200);
    const statuses = playground.calls.list({ route: 'graphql' }).map((call) => call.status);
    expect(statuses).toEqual([200, null, null, 200, 200]);
  });
});
