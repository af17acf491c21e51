import { createServer } from 'node:http';

/** The upstream and issuer of the proxy benchmark: tokens, and one GraphQL answer of 1.8 kB, as fast as Node can. */
const items = Array.from({ length: 22 }, (_, index) => ({
  id: { value: `seekAnzPublicTest:location:seek:${index}` },
  contextualName: `A place of that number in Australia, ${index}`,
}));
const graphql = Buffer.from(
  JSON.stringify({ data: { locations: items }, extensions: { requestLatency: 1 } }),
);
const token = Buffer.from(
  JSON.stringify({ access_token: 'a'.repeat(48), expires_in: 3600, token_type: 'Bearer' }),
);

createServer((request, response) => {
  request.resume().on('end', () => {
    const body = request.url === '/graphql' ? graphql : token;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
})
  .on('connection', (socket) => socket.setNoDelay(true))
  .listen(Number(process.env['PORT']), '127.0.0.1');
