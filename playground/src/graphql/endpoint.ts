import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { World } from '../data/world.js';
import type { EventMaker } from '../event-maker.js';
import type { Faults } from '../faults/faults.js';
import type { RateLimits } from '../faults/rate-limits.js';
import {
  json,
  parseJson,
  readContentType,
  type Answer,
  type Incoming,
  type Route,
} from '../http/exchange.js';
import type { Switches } from '../switches.js';
import type { Tokens } from '../tokens.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import type { Context } from './context.js';
import { chooseLocale } from './locale.js';
import { eventView } from './views/event-views.js';
import { resultPlugin, rulesPlugin } from './yoga-plugins.js';

/** What the endpoint needs of the rest of the playground. */
export interface EndpointParts {
  readonly schema: GraphQLSchema;
  readonly world: () => World;
  readonly tokens: Tokens;
  readonly webhooks: Webhooks;
  readonly emit: EventMaker['emit'];
  readonly faults: Faults;
  readonly rateLimits: RateLimits;
  readonly switches: Switches;
  readonly baseUrl: () => string;
  readonly now: () => number;
  /** The page for a browser that opens the endpoint. */
  readonly page: (incoming: Incoming) => Promise<Answer>;
}

/** `POST /graphql` (interface.md 4.1, 4.3, 4.4). HTTP is checked here, GraphQL is yoga's. */
export function graphqlRoute(parts: EndpointParts): Route {
  const yoga = createYoga<Context>({
    schema: parts.schema,
    batching: { limit: Number.MAX_SAFE_INTEGER },
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: 'error',
    plugins: [rulesPlugin(), resultPlugin()],
  });
  return {
    name: 'graphql',
    path: '/graphql',
    methods: ['POST', 'GET'],
    openToBrowsers: true,
    // The switch `bodyBytesMax` decides below; this only bounds what is read.
    bodyBytesMax: 64 * 1_048_576,
    handle: async (incoming) => {
      if (incoming.method === 'GET') return answerGet(incoming, parts);
      const refusal = refuseBody(incoming, parts.switches);
      if (refusal !== undefined) return refusal;
      return execute(yoga, incoming, contextOf(incoming, parts));
    },
  };
}

async function answerGet(incoming: Incoming, parts: EndpointParts): Promise<Answer> {
  if (incoming.headers.accept?.includes('text/html') === true) return parts.page(incoming);
  return refuse(405, 'Only POST is answered here.', { Allow: 'POST' });
}

/** Why a body cannot be a GraphQL request, as an answer. */
function refuseBody(incoming: Incoming, switches: Switches): Answer | undefined {
  const { mediaType, utf8 } = readContentType(incoming.headers['content-type']);
  if (mediaType !== 'application/json' || !utf8) {
    return refuse(415, 'Only application/json in UTF-8 is taken.');
  }
  if (incoming.body.length > switches.bodyBytesMax) return refuse(413, 'The body is too large.');
  const parsed = parseJson(incoming.body);
  if (parsed === undefined) return refuse(400, 'The body is not JSON in UTF-8.');
  if (!Array.isArray(parsed.value)) return undefined;
  if (!switches.batching) return refuse(400, 'Arrays of requests are not taken.');
  if (parsed.value.length === 0) return refuse(400, 'The array holds no request.');
  if (parsed.value.length > switches.batchMax) return refuse(413, 'The array holds too many requests.');
  return undefined;
}

function refuse(status: number, message: string, headers: Record<string, string> = {}): Answer {
  return json(status, { errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] }, headers);
}

function contextOf(incoming: Incoming, parts: EndpointParts): Context {
  const fields: string[] = [];
  const ruleBreaks: string[] = [];
  Object.assign(incoming.notes, { fields, ruleBreaks });
  return {
    ...parts,
    world: parts.world(),
    viewEvent: eventView,
    credential: parts.tokens.read(incoming.headers.authorization),
    locale: chooseLocale(incoming.headers['accept-language']),
    fields,
    ruleBreaks,
    startedAtMs: performance.now(),
  };
}

async function execute(
  yoga: { fetch: (url: string, init: RequestInit, context: Context) => Response | Promise<Response> },
  incoming: Incoming,
  context: Context,
): Promise<Answer> {
  const { graphqlMediaType, contentLanguage } = context.switches;
  const response = await yoga.fetch(
    'http://playground/graphql',
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: graphqlMediaType },
      body: incoming.body.toString('utf8'),
    },
    context,
  );
  const headers: Record<string, string> = {
    'Content-Type': `${graphqlMediaType}; charset=utf-8`,
    Vary: 'Accept-Language',
  };
  if (contentLanguage) headers['Content-Language'] = context.locale;
  const retryAfter = response.headers.get('retry-after');
  if (retryAfter !== null) headers['Retry-After'] = retryAfter;
  return { status: response.status, headers, body: await response.text() };
}
