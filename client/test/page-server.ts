import { createServer } from 'node:http';
import { portOf } from '../../test/support/machine.js';
import { bundleFile } from './project.js';

/** Serves an empty page with one script, a file of the tests bundled with the package; gives its origin. */
export async function servePage(file: string): Promise<string> {
  const script = await bundleFile(file);
  const server = createServer((request, response) => {
    if (request.url === '/page.js') {
      return void response.setHeader('content-type', 'text/javascript').end(script);
    }
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><script type="module" src="/page.js"></script>');
  });
  return `http://127.0.0.1:${await portOf(server)}`;
}
