import { createServer } from 'node:http';

/** Takes every event that is delivered to it. */
createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end());
}).listen(Number(process.env['PORT']), '127.0.0.1');
