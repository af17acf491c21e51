import type { GraphQLSchema } from 'graphql';
import type { World } from '../data/world.js';
import { DEMO } from '../demo.js';
import { html, type Answer, type Incoming, type Route } from '../http/exchange.js';
import { SCOPES } from '../scopes.js';
import type { Switches } from '../switches.js';
import type { Tokens } from '../tokens.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import { makeExamples, type Example } from './examples.js';

/** What the pages are made of. */
export interface PageParts {
  readonly schema: GraphQLSchema;
  readonly world: () => World;
  readonly webhooks: Webhooks;
  readonly tokens: Tokens;
  readonly switches: Switches;
}

/** `GET /`: every operation with an example, to be opened in GraphiQL with a token of either kind. */
export function indexRoute(parts: PageParts): Route {
  return { name: 'page', path: '/', methods: ['GET'], handle: () => html(renderIndex(examplesOf(parts))) };
}

/**
 * GraphiQL, from this package and no other host. `example` names an operation, `as` a kind of token that is issued for
 * the page, `hirer` the hirer of a browser token.
 */
export async function graphiqlPage(incoming: Incoming, parts: PageParts): Promise<Answer> {
  const example = examplesOf(parts).find(({ name }) => name === incoming.query.get('example'));
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  return html(
    renderGraphiQL({
      title: 'Playground',
      defaultQuery: '# Every operation with an example and a token: open / on this host.\n{ version }\n',
      shouldPersistHeaders: false,
      headers: JSON.stringify(headersFor(incoming, parts), null, 2),
      ...(example && { query: example.query, variables: JSON.stringify(example.variables, null, 2) }),
    }),
  );
}

function examplesOf({ schema, world, webhooks }: PageParts): Example[] {
  return makeExamples(schema, world(), webhooks);
}

function headersFor({ query }: Incoming, { tokens, world, switches }: PageParts): Record<string, string> {
  const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });
  switch (query.get('as')) {
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

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b2733}
table{border-collapse:collapse;width:100%}td{border-top:1px solid #dde3e8;padding:.4rem .6rem .4rem 0;vertical-align:top}
code{font-size:.95em}small{color:#5a6b7a}a{color:#0b5fa5}`;

function renderIndex(examples: readonly Example[]): string {
  const rows = (kind: Example['kind']): string =>
    examples
      .filter((example) => example.kind === kind)
      .map(renderRow)
      .join('');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Playground</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head><body>
<h1>Playground</h1>
<p>An emulator of the upstream. Each link opens GraphiQL with an example and a fresh token in the headers tab:
a partner token sees every related hirer, a browser token (where the operation takes one) only ${escape(DEMO.hirers[0]?.name ?? '')}.</p>
<h2>Queries</h2><table>${rows('query')}</table><h2>Mutations</h2><table>${rows('mutation')}</table></body></html>`;
}

function renderRow({ name, description }: Example): string {
  const link = (as: string): string => `<a href="/graphql?example=${name}&amp;as=${as}">${as}</a>`;
  const takesBrowserToken = description.includes('browser token with the scope');
  const links = takesBrowserToken ? `${link('partner')} · ${link('browser')}` : link('partner');
  return `<tr><td><code>${name}</code></td><td><small>${escape(description)}</small></td><td>${links}</td></tr>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (c) => `&#${String(c.charCodeAt(0))};`);
}
