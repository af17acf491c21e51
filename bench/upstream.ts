import { createServer } from 'node:http';
import { HIRER_ID } from './hirer-id.js';

/**
 * The upstream and issuer of the benchmarks: tokens, and GraphQL answers of 1.8 kB an operation, as fast as Node can: fixed
 * bytes, for operations that it does not read.
 */
const items = Array.from({ length: 22 }, (_, index) => ({
  id: { value: `seekAnzPublicTest:location:seek:${index}` },
  contextualName: `A place of that number in Australia, ${index}`,
}));
const answer = (data: object): string => JSON.stringify({ data, extensions: { requestLatency: 1 } });
const positionOrganizations = [{ id: { value: HIRER_ID } }];
const single = Buffer.from(answer({ locations: items }));
const profile = Buffer.from(answer({ positionProfile: { positionOrganizations, locations: items } }));
const ten = Buffer.from(`[${Array.from({ length: 10 }, () => single.toString()).join(',')}]`);
const OPEN_BRACKET = 0x5b;

/** The answer to a single query, to the registered operation of the benchmarks, or to an array of ten. */
function graphql(body: Buffer): Buffer {
  if (body[0] === OPEN_BRACKET) return ten;
  return body.includes('BenchProfile') ? profile : single;
}

const expiresIn = Number(process.env['EXPIRES_IN'] ?? 3600);
const token = (letter: string): Buffer =>
  Buffer.from(
    JSON.stringify({ access_token: letter.repeat(48), expires_in: expiresIn, token_type: 'Bearer' }),
  );
const partnerToken = token('p');
const browserToken = token('b');

function answerTo(path: string | undefined, body: Buffer): Buffer {
  if (path === '/graphql') return graphql(body);
  return path === '/oauth/token' ? partnerToken : browserToken;
}

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => {
      const body = answerTo(request.url, Buffer.concat(chunks));
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
        .end(body);
    });
})
  .on('connection', (socket) => socket.setNoDelay(true))
  .listen(Number(process.env['PORT']), '127.0.0.1');
