import { fastify } from 'fastify';

/** The floor: Fastify alone, answering the same bytes to the same request, deciding nothing. */
const answer = { access_token: 'a'.repeat(48), expires_in: 3599, token_type: 'Bearer' };
const server = fastify();
server.get('/', async () => 'up');
server.post('/auth/token', async () => answer);
await server.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
