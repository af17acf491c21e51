import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { portOf } from '../support/machine.js';
import { startStack } from '../support/start-stack.js';
import { POSTGRESQL } from '../support/test-database.js';

const WATCHED_MS = 12_000;

/** The port of a way to the server that keeps the text of each statement (PostgreSQL, chapter 55: messages Query and Parse). */
function countStatements(target: URL, statements: string[]): Promise<number> {
  const proxy = createServer((client) => {
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
        if (typeBytes === 1 && 'QP'.includes(type)) statements.push(left.toString('utf8', 5, end));
        left = left.subarray(end);
        typeBytes = 1;
      }
    });
  });
  return portOf(proxy);
}

test('an idle replica with a sink and reconciliation sends at most one statement a second', async () => {
  const database = await POSTGRESQL.open();
  const url = new URL(database.settings['DATABASE_URL']!);
  const statements: string[] = [];
  url.host = `127.0.0.1:${await countStatements(new URL(url), statements)}`;
  await startStack({ DATABASE_URL: url.href });
  await pause(2_000); // the start itself
  statements.length = 0;
  await pause(WATCHED_MS);
  if (statements.length > WATCHED_MS / 1000) throw new Error(statements.join('\n'));
});
