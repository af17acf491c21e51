import { createServer } from 'node:http';
import { portOf } from '../../test/support/machine.js';

/** Serves an empty page with one script; gives its origin. */
export async function servePage(script: () => string): Promise<string> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script() : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  return `http://127.0.0.1:${await portOf(server)}`;
}
