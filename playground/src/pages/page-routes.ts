import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { GraphQLSchema } from 'graphql';
import type { World } from '../data/world.js';
import { DEMO } from '../demo.js';
import { html, json, type Answer, type Incoming, type Route } from '../http/exchange.js';
import { SCOPES } from '../tokens/scopes.js';
import type { Switches } from '../switches.js';
import type { Tokens } from '../tokens/tokens.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import { makeExamples, type Example } from './examples.js';

/** The parts of the playground that the pages show. */
export interface PageParts {
  readonly schema: GraphQLSchema;
  readonly world: () => World;
  readonly webhooks: Webhooks;
  readonly tokens: Tokens;
  readonly switches: Switches;
}

const DEMO_HIRER = DEMO.hirers[0]!;
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.mjs': 'text/javascript',
  '.svg': 'image/svg+xml',
};
/** Everything is served from this origin, which is also the only one that the page talks to. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";
const FILES = [
  'style.css',
  'graphiql.css',
  'icon.svg',
  'main.mjs',
  'tabs.mjs',
  'dom.mjs',
  'control.mjs',
  'operations.mjs',
  'calls.mjs',
  'happen.mjs',
];

/** `GET /`: the operations, the call log, and what makes things happen, in three tabs; and the files that it loads. */
export function pageRoutes(parts: PageParts): Route[] {
  return [
    page('/', () => fileAnswer('index.html')),
    page('/pages/operations.json', () => json(200, describeOperations(parts))),
    ...FILES.map((name) => page(`/pages/${name}`, () => fileAnswer(name))),
  ];
}

function page(path: string, handle: Route['handle']): Route {
  return { name: 'page', path, methods: ['GET'], handle };
}

async function fileAnswer(name: string): Promise<Answer> {
  return {
    status: 200,
    headers: {
      'Content-Type': `${MEDIA_TYPES[extname(name)] ?? 'application/octet-stream'}; charset=utf-8`,
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
    },
    body: await readFile(new URL(name, import.meta.url)),
  };
}

/** The last paragraph of a description says who may call an operation. */
function describeOperations(parts: PageParts): object {
  const operations = examplesOf(parts)
    .filter(({ name }) => !name.startsWith('_'))
    .map(({ name, kind, description }) => {
      const [about = '', access = ''] = description.split(/\n\n(?=Needs )/);
      const scope = /browser token with the scope `([^`]+)`/.exec(access)?.[1] ?? null;
      return { name, kind, about, scope, isOpen: access.startsWith('Needs no token') };
    });
  return { hirer: DEMO_HIRER.name, operations };
}

/** What GraphiQL opens with when no operation is asked for. It needs a partner token. */
const FIRST_EXAMPLE = {
  name: 'NewestAds',
  query: `# The newest ads of ${DEMO_HIRER.name}.
query NewestAds($hirerId: String!, $first: Int, $ads: Int) {
  positionOpenings(hirerId: $hirerId, first: $first) {
    edges {
      node {
        statusCode
        paginatedPositionProfiles(first: $ads) {
          edges {
            node {
              positionTitle
              positionLocation { contextualName }
            }
          }
        }
      }
    }
  }
}
`,
  variables: { hirerId: DEMO_HIRER.hirerId, first: 5, ads: 1 },
};
/** What GraphiQL lacks: a narrow screen, and a way back. */
const ADDITIONS =
  '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="/pages/icon.svg"><link rel="stylesheet" href="/pages/graphiql.css">';
const WAY_BACK = '<a class="way-back" href="/">All operations</a>';

/**
 * GraphiQL, from this package and no other host. `example` names an operation, `as` a kind of token that is issued for
 * the page, `hirer` the hirer of a browser token. Without any, it opens with an example and a partner token.
 */
export async function graphiqlPage(incoming: Incoming, parts: PageParts): Promise<Answer> {
  const wanted = incoming.query.get('example');
  const example = wanted === null ? FIRST_EXAMPLE : examplesOf(parts).find(({ name }) => name === wanted);
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const rendered = renderGraphiQL({
    title: `${example?.name ?? 'GraphiQL'} · Playground`,
    defaultQuery: FIRST_EXAMPLE.query,
    shouldPersistHeaders: false,
    headers: JSON.stringify(headersFor(incoming, parts), null, 2),
    ...(example && { query: example.query, variables: JSON.stringify(example.variables, null, 2) }),
  }).replace('</head>', `${ADDITIONS}</head>`);
  const end = rendered.lastIndexOf('</body>'); // scripts hold others
  return html(rendered.slice(0, end) + WAY_BACK + rendered.slice(end));
}

function examplesOf({ schema, world, webhooks }: PageParts): Example[] {
  return makeExamples(schema, world(), webhooks);
}

function headersFor({ query }: Incoming, { tokens, world, switches }: PageParts): Record<string, string> {
  const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });
  switch (query.get('as') ?? (query.has('example') ? null : 'partner')) {
    case 'partner':
      return bearer(tokens.issuePartner(switches.partnerTokenSeconds));
    case 'browser': {
      const hirerId = query.get('hirer') ?? DEMO_HIRER.hirerId;
      if (!world().isRelated(hirerId)) return {};
      const grant = { hirerId, scopes: new Set<string>(SCOPES), userId: 'playground' };
      return bearer(tokens.issueBrowser(grant, switches.browserTokenSeconds));
    }
    case null:
    default:
      return {};
  }
}
