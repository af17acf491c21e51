import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startStack } from '../support/start-stack.js';
import { POSTGRESQL } from '../support/test-database.js';

const WATCHED_MS = 12_000;

/** Passes everything on, and keeps the text of each statement (PostgreSQL, chapter 55: messages Query and Parse). */
class CountingProxy {
  readonly statements: string[] = [];
  private readonly server: Server;

  constructor(target: URL) {
    this.server = createServer((client) => {
      const server = connect(Number(target.port || 5432), target.hostname);
      client.pipe(server).pipe(client);
      for (const socket of [client, server]) socket.on('error', () => undefined);
      client.once('close', () => server.destroy());
      let left = Buffer.alloc(0);
      let typeBytes = 0; // the first message has no type
      client.on('data', (bytes) => {
        left = Buffer.concat([left, bytes]);
        while (left.length >= typeBytes + 4) {
          const end = typeBytes + left.readUInt32BE(typeBytes);
          if (left.length < end) return;
          const type = String.fromCharCode(left[0]!);
          if (typeBytes === 1 && 'QP'.includes(type)) this.statements.push(left.toString('utf8', 5, end));
          left = left.subarray(end);
          typeBytes = 1;
        }
      });
    });
  }

  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
  }
}

test('an idle replica with a sink and reconciliation sends at most one statement a second', async () => {
  const database = await POSTGRESQL.open();
  const url = new URL(database.settings['DATABASE_URL']!);
  const proxy = new CountingProxy(new URL(url));
  url.host = `127.0.0.1:${await proxy.start()}`;
  await startStack({ DATABASE_URL: url.href });
  await pause(2_000); // the start itself
  proxy.statements.length = 0;
  await pause(WATCHED_MS);
  const idle = [...proxy.statements];
  proxy.close();
  if (idle.length > WATCHED_MS / 1000) throw new Error(idle.join('\n'));
});
