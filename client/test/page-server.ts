import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bundleFile } from './project.js';

/** Serves an empty page with one script. */
export interface PageServer {
  readonly origin: string;
  close(): void;
}

/** Serves a file of the tests, bundled with the package, on an origin of its own. */
export async function servePage(file: string): Promise<PageServer> {
  const script = await bundleFile(file);
  const server = createServer((request, response) => {
    if (request.url === '/page.js') {
      return void response.setHeader('content-type', 'text/javascript').end(script);
    }
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><script type="module" src="/page.js"></script>');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}
