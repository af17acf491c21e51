import { createHmac, timingSafeEqual } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { fastify } from 'fastify';

/**
 * The floor: Fastify alone with one secret, one table without an index but its key, and one transaction a request. It
 * has no queue, counts no repeat, and knows nothing of hirers.
 */
const { PORT, SECRET = '', FILE = '' } = process.env;
const database = new DatabaseSync(FILE);
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
database.exec('CREATE TABLE bare_events (id TEXT PRIMARY KEY, payload TEXT NOT NULL) STRICT');
const insert = database.prepare('INSERT INTO bare_events VALUES (?, ?) ON CONFLICT DO NOTHING');

function insertAll(events: readonly { id: string }[]): void {
  database.exec('BEGIN');
  for (const event of events) insert.run(event.id, JSON.stringify(event));
  database.exec('COMMIT');
}

const server = fastify();
server.removeAllContentTypeParsers();
server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
);
server.get('/', async () => 'up');
server.post('/webhooks', async (request, reply) => {
  const body = request.body as Buffer;
  const expected = createHmac('sha512', SECRET).update(body).digest();
  const given = Buffer.from(String(request.headers['seek-signature']), 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return reply.code(401).send();
  insertAll((JSON.parse(body.toString()) as { events: { id: string }[] }).events);
  return reply.code(204).send();
});
await server.listen({ port: Number(PORT), host: '127.0.0.1' });
