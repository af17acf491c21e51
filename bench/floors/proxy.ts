import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'undici';

/** The floor for Node: node:http and undici's `Pool.dispatch`, bodies passed on, nothing decided. */
const pool = new Pool(process.env['UPSTREAM']!, { connections: 64 });

function forward(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const chunks: Buffer[] = [];
  let status = 502;
  pool.dispatch(
    {
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' },
      body,
    },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, code) => void (status = code),
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () => {
        const answer = Buffer.concat(chunks);
        response.writeHead(status, { 'content-type': 'application/json', 'content-length': answer.length });
        response.end(answer);
      },
      onResponseError: () => void response.writeHead(502).end(),
    },
  );
}

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => {
      if (request.method === 'POST') forward(request, response, Buffer.concat(chunks));
      else response.end('up');
    });
}).listen(Number(process.env['PORT']), '127.0.0.1');
