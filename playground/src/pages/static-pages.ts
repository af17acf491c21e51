import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Route } from '../http/exchange.js';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.mjs': 'text/javascript',
};
/** Everything is served from this origin, which is also the only one that a page talks to. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

/** Files of this folder, by the path they are served at. */
const FILES: Readonly<Record<string, string>> = {
  '/page.css': 'page.css',
  '/graphiql.css': 'graphiql.css',
  '/graphiql.mjs': 'graphiql.mjs',
  '/happenings': 'happenings/index.html',
  '/happenings/happenings.css': 'happenings/happenings.css',
  '/happenings/happenings.mjs': 'happenings/happenings.mjs',
  '/calls': 'calls/index.html',
  '/calls/calls.css': 'calls/calls.css',
  '/calls/calls.mjs': 'calls/calls.mjs',
};

/** `/happenings` makes candidates apply, other events happen and time pass; `/calls` shows the call log. */
export function staticPages(): Route[] {
  return Object.entries(FILES).map(([path, file]) => ({
    name: 'page',
    path,
    methods: ['GET'],
    handle: async () => ({
      status: 200,
      headers: {
        'Content-Type': `${MEDIA_TYPES[extname(file)] ?? 'application/octet-stream'}; charset=utf-8`,
        'Content-Security-Policy': POLICY,
        'X-Content-Type-Options': 'nosniff',
      },
      body: await readFile(new URL(file, import.meta.url)),
    }),
  }));
}
