import type { GraphQLSchema } from 'graphql';
import type { World } from '../data/world.js';
import { DEMO } from '../demo.js';
import { html, type Answer, type Incoming, type Route } from '../http/exchange.js';
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

const demoHirer = DEMO.hirers[0]?.name ?? '';
/** What GraphiQL lacks: a narrow screen, and a theme that changes. */
const ADDITIONS =
  '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/graphiql.css"><script type="module" src="/graphiql.mjs"></script>';

/** `GET /`: every operation with an example, to be opened in GraphiQL with a token of either kind. */
export function indexRoute(parts: PageParts): Route {
  return { name: 'page', path: '/', methods: ['GET'], handle: () => html(renderIndex(examplesOf(parts))) };
}

/** What GraphiQL opens with when no operation is asked for. It needs a partner token. */
const FIRST_EXAMPLE = {
  query: `# The newest ads of ${demoHirer}. Run them with the arrow.
# Every operation with an example and a token: open / on this host.
query NewestAds($hirerId: String!) {
  positionOpenings(hirerId: $hirerId, first: 5) {
    edges {
      node {
        statusCode
        paginatedPositionProfiles(first: 1) {
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
  variables: { hirerId: DEMO.hirers[0]?.hirerId },
};

/**
 * GraphiQL, from this package and no other host. `example` names an operation, `as` a kind of token that is issued for
 * the page, `hirer` the hirer of a browser token. Without any, it opens with an example and a partner token.
 */
export async function graphiqlPage(incoming: Incoming, parts: PageParts): Promise<Answer> {
  const wanted = incoming.query.get('example');
  const example = wanted === null ? FIRST_EXAMPLE : examplesOf(parts).find(({ name }) => name === wanted);
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  return html(
    renderGraphiQL({
      title: 'Playground',
      defaultQuery: FIRST_EXAMPLE.query,
      shouldPersistHeaders: false,
      headers: JSON.stringify(headersFor(incoming, parts), null, 2),
      ...(example && { query: example.query, variables: JSON.stringify(example.variables, null, 2) }),
    }).replace('</head>', `${ADDITIONS}</head>`),
  );
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
      const hirerId = query.get('hirer') ?? DEMO.hirers[0]?.hirerId ?? '';
      if (!world().isRelated(hirerId)) return {};
      const grant = { hirerId, scopes: new Set<string>(SCOPES), userId: 'playground' };
      return bearer(tokens.issueBrowser(grant, switches.browserTokenSeconds));
    }
    case null:
    default:
      return {};
  }
}

function renderIndex(examples: readonly Example[]): string {
  const queries = examples.filter(({ kind }) => kind === 'query');
  const mutations = examples.filter(({ kind }) => kind === 'mutation');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Playground</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css"></head><body>
<nav aria-label="Pages"><a href="/graphql">GraphiQL</a> <a href="/happenings">Make things happen</a> <a href="/calls">Call log</a></nav>
<main>
<h1>Playground</h1>
<p>An emulator of the upstream. Each operation opens GraphiQL with an example and a fresh partner token in the headers
tab, which sees every related hirer. “As ${escape(demoHirer)}” opens it with a browser token for that hirer alone.</p>
<nav aria-label="On this page"><a href="#queries">${String(queries.length)} queries</a> <a href="#mutations">${String(mutations.length)} mutations</a></nav>
${renderList('queries', 'Queries', queries)}${renderList('mutations', 'Mutations', mutations)}</main></body></html>`;
}

function renderList(id: string, title: string, examples: readonly Example[]): string {
  const items = examples.map(renderExample).join('');
  return `<h2 id="${id}">${title}</h2><ul class="operations" aria-labelledby="${id}">${items}</ul>`;
}

/** The last paragraph of a description says who may call the operation, and for whom is what the links say. */
function renderExample({ name, description }: Example): string {
  const [about = '', access = ''] = description.split(/\n\n(?=Needs )/);
  const scope = /browser token with the scope `([^`]+)`/.exec(access)?.[1];
  const as = access.startsWith('Needs no token') ? '' : '&amp;as=partner';
  const asBrowser =
    scope === undefined
      ? ''
      : `<p class="scope"><small><a href="/graphql?example=${name}&amp;as=browser" aria-label="${name} as ${escape(demoHirer)}">As ${escape(demoHirer)}</a>, scope <code>${escape(scope)}</code></small></p>`;
  return `<li><a href="/graphql?example=${name}${as}"><code>${name}</code></a><p><small>${escape(about)}</small></p>${asBrowser}</li>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${String(c.charCodeAt(0))};`);
}
