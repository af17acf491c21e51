import type { GraphQLSchema } from 'graphql';
import type { Faults } from '../../faults/faults.js';
import {
  json,
  parseJson,
  readContentType,
  type Answer,
  type Incoming,
  type Route,
} from '../../http/exchange.js';
import type { Partner } from '../../partner.js';
import type { Switches } from '../../switches.js';
import type { Tokens } from '../../tokens/tokens.js';
import type { Context } from '../context.js';
import { chooseLocale } from './locale.js';
import { eventView } from '../events/event-views.js';
import { latencySince, resultPlugin, rulesPlugin } from './yoga-plugins.js';
import { createYoga } from '../graphql-packages.js';

const BODY_BYTES_MAX = 1_048_576;
/** Items of an array (interface.md 4.4). */
const BATCH_MAX = 100;

/** The parts of the playground that the endpoint needs. */
export interface EndpointParts extends Pick<Partner, 'world' | 'webhooks' | 'feed' | 'ads'> {
  readonly schema: GraphQLSchema;
  readonly tokens: Tokens;
  readonly faults: Faults;
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
    openToBrowsers: 'POST', // GET is a page with a token in it
    bodyBytesMax: 64 * 1_048_576, // only bounds what is read
    handle: async (incoming) => {
      if (incoming.method === 'GET') return answerGet(incoming, parts);
      const context = contextOf(incoming, parts);
      const refusal = refuseBody(incoming, parts.switches);
      return refusal === undefined ? execute(yoga, incoming, context) : refuse(refusal, context);
    },
  };
}

async function answerGet(incoming: Incoming, parts: EndpointParts): Promise<Answer> {
  if (incoming.headers.accept?.includes('text/html') === true) return parts.page(incoming);
  const refusal = { status: 405, message: 'Only POST is answered here.' };
  return refuse(refusal, contextOf(incoming, parts), { Allow: 'POST' });
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** The reason why a body cannot be a GraphQL request. */
function refuseBody(incoming: Incoming, switches: Switches): Refusal | undefined {
  const { mediaType, utf8 } = readContentType(incoming.headers['content-type']);
  if (mediaType !== 'application/json' || !utf8) {
    return { status: 415, message: 'Only application/json in UTF-8 is taken.' };
  }
  if (incoming.body.length > BODY_BYTES_MAX) return { status: 413, message: 'The body is too large.' };
  const parsed = parseJson(incoming.body);
  if (parsed === undefined) return { status: 400, message: 'The body is not JSON in UTF-8.' };
  return Array.isArray(parsed.value) ? refuseArray(parsed.value, switches) : undefined;
}

function refuseArray({ length }: readonly unknown[], { batching }: Switches): Refusal | undefined {
  if (!batching) return { status: 400, message: 'Arrays of requests are not taken.' };
  if (length === 0) return { status: 400, message: 'The array holds no request.' };
  if (length > BATCH_MAX) return { status: 413, message: 'The array holds too many requests.' };
  return undefined;
}

function refuse(
  { status, message }: Refusal,
  { startedAtMs }: Pick<Context, 'startedAtMs'>,
  headers: Answer['headers'] = {},
): Answer {
  const errors = [{ message, extensions: { code: 'BAD_USER_INPUT' } }];
  return json(status, { errors, extensions: latencySince(startedAtMs) }, headers);
}

function contextOf(incoming: Incoming, parts: EndpointParts): Context {
  const fields: string[] = [];
  const ruleBreaks: string[] = [];
  const codes: string[] = [];
  Object.assign(incoming.notes, { fields, ruleBreaks, codes });
  const credential = parts.tokens.read(incoming.headers.authorization);
  return {
    ...parts,
    world: parts.world(),
    tell: (type, facts) => parts.feed.tell(type, facts),
    viewEvent: eventView,
    credential,
    locale: chooseLocale(incoming.headers['accept-language']),
    fields,
    ruleBreaks,
    codes,
    startedAtMs: performance.now(),
  };
}

async function execute(
  yoga: { fetch: (url: string, init: RequestInit, context: Context) => Response | Promise<Response> },
  incoming: Incoming,
  context: Context,
): Promise<Answer> {
  const response = await yoga.fetch(
    'http://playground/graphql',
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: incoming.body.toString('utf8'),
    },
    context,
  );
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Language': context.locale,
    Vary: 'Accept-Language',
  };
  return { status: response.status, headers, body: await response.text() };
}
