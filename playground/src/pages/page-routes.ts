import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { DEMO } from '../demo.js';
import { theSchema } from '../graphql/schema/schema.js';
import type { State } from '../playground-state.js';
import { SCOPES } from '../tokens/tokens.js';
import { makeExamples, type Example } from './examples.js';
import { filesOf, HEAD, sendFile } from './send-file.js';

const DEMO_HIRER = DEMO.hirers[0]!;
const FOLDER = new URL('./', import.meta.url);
/** Everything is served from this origin, which is also the only one that the page talks to. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";
/** `GET /`: the operations, the call log, and what makes things happen, in three tabs; and the files that it loads. */
export function pageRoutes(): RouteOptions[] {
  return [
    page('/', (_request, reply) => send(reply, 'index.html')),
    page('/pages/operations.json', ({ state }) => describeOperations(state)),
    ...filesOf(FOLDER).map((name) => page(`/pages/${name}`, (_request, reply) => send(reply, name))),
  ];
}

function page(url: string, handler: RouteOptions['handler']): RouteOptions {
  return { method: 'GET', url, config: { name: 'page' }, handler };
}

function send(reply: FastifyReply, name: string): Promise<FastifyReply> {
  reply.headers({ 'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff' });
  return sendFile(reply, FOLDER, name);
}

/** The last paragraph of a description says who may call an operation. */
function describeOperations(state: State): object {
  const operations = examplesOf(state)
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
  query: `query NewestAds($hirerId: String!, $first: Int, $ads: Int) {
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
/** Added to GraphiQL, with the head of the other pages: a landmark with a heading and a way back. */
const ROOT = '<div id="root"></div>';
const WRAPPED_ROOT = `<main class="graphiql">${ROOT}<h1>GraphiQL · <a href="/">All operations</a></h1></main>`;

/**
 * GraphiQL, from this package and no other host. `example` names an operation, `as` a kind of token that is issued for
 * the page, a browser token for the demo's first hirer. Without any, it opens with an example and a partner token.
 */
export async function graphiqlPage(request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const { example: wanted } = request.query as PageQuery;
  const examples = wanted === undefined ? [] : examplesOf(request.state);
  const example = wanted === undefined ? FIRST_EXAMPLE : examples.find(({ name }) => name === wanted);
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  reply.type('text/html; charset=utf-8');
  return renderGraphiQL({
    title: `${example?.name ?? 'GraphiQL'} · Playground`,
    defaultQuery: FIRST_EXAMPLE.query,
    shouldPersistHeaders: false,
    headers: JSON.stringify(headersFor(request), null, 2),
    ...(example && { query: example.query, variables: JSON.stringify(example.variables, null, 2) }),
  })
    .replace('</head>', `${HEAD}</head>`)
    .replace(ROOT, WRAPPED_ROOT);
}

function examplesOf({ world, webhooks }: State): Example[] {
  return makeExamples(theSchema(), world(), webhooks);
}

interface PageQuery {
  readonly example?: string;
  readonly as?: string;
}

function headersFor({ query, state }: FastifyRequest): Record<string, string> {
  const { tokens, world, switches } = state;
  const { example, as = example === undefined ? 'partner' : '' } = query as PageQuery;
  const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });
  if (as === 'partner') return bearer(tokens.issuePartner(switches.partnerTokenSeconds));
  if (as !== 'browser' || !world().isRelated(DEMO_HIRER.hirerId)) return {};
  const grant = { hirerId: DEMO_HIRER.hirerId, scopes: new Set<string>(SCOPES), userId: 'playground' };
  return bearer(tokens.issueBrowser(grant, switches.browserTokenSeconds));
}
