import type { FastifyReply, RouteOptions } from 'fastify';
import { filesOf, sendFile } from '../pages/send-file.js';
import type { SCOPES } from '../tokens/tokens.js';
import type { Playground } from '../playground.js';

const FOLDER = new URL('./', import.meta.url);
const ENTRY = 'index.html';
/** What the demo page has in common with the playground's own, at the address that relative imports lead to. */
const SHARED_FOLDER = new URL('../pages/', import.meta.url);
const SHARED = ['style.css', 'icon.svg', 'control.mjs', 'dom.mjs', 'tabs.mjs'];
/** The browser package, which the build compiles beside the playground. */
const CLIENT_FOLDER = new URL('../client/src/', import.meta.url);
/** Scopes the page offers: the three of interface.md 2.1, and one that a service does not allow by default. */
const OFFERED_SCOPES: readonly (typeof SCOPES)[number][] = [
  'query:organizations',
  'query:ontologies',
  'query:ad-products',
  'query:position-profiles',
];

/** Where the page finds the playground, and the users it can sign in. */
export type DemoPageParts = Pick<Playground, 'upstreamUrl' | 'issuerUrl' | 'demo'>;

/**
 * The demo page at `/` and what it loads, for the public listener of a service in playground mode. Everything is
 * served from this origin; apart from it the page may only talk to the playground's two listeners.
 * @param opsUrl origin of the ops listener, read on each request of the page
 */
export function demoPageRoutes(parts: DemoPageParts, opsUrl: () => string): RouteOptions[] {
  const headers = pageHeaders(parts);
  const assets = filesOf(FOLDER).filter((name) => name !== ENTRY);
  return [
    get('/', (reply) => sendFile(reply.headers(headers), FOLDER, ENTRY)),
    get('/demo/config.json', (reply) => reply.send(pageConfig(parts, opsUrl()))),
    ...assets.map((name) => get(`/demo/${name}`, (reply) => sendFile(reply, FOLDER, name))),
    ...filesOf(CLIENT_FOLDER, /\.js$/).map((name) =>
      get(`/client/${name}`, (reply) => sendFile(reply, CLIENT_FOLDER, name)),
    ),
    ...SHARED.map((name) => get(`/pages/${name}`, (reply) => sendFile(reply, SHARED_FOLDER, name))),
  ];
}

function get(url: string, answer: (reply: FastifyReply) => unknown): RouteOptions {
  return { method: 'GET', url, config: { access: 'open' }, handler: (_request, reply) => answer(reply) };
}

function pageHeaders({ upstreamUrl, issuerUrl }: DemoPageParts): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${upstreamUrl} ${issuerUrl}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
}

function pageConfig({ upstreamUrl, issuerUrl, demo }: DemoPageParts, opsUrl: string): object {
  return { upstreamUrl, issuerUrl, opsUrl, users: demo.users, hirers: demo.hirers, scopes: OFFERED_SCOPES };
}
