import proxy from '@fastify/http-proxy';
import { fastify } from 'fastify';

/** @fastify/http-proxy as its own page shows it: it authenticates nothing and passes every header. */
const server = fastify();
server.get('/', async () => 'up');
await server.register(proxy, {
  upstream: process.env.UPSTREAM,
  prefix: '/graphql',
  rewritePrefix: '/graphql',
});
await server.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
