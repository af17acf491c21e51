import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { parseJson, readContentType } from '../../http/route.js';
import { graphiqlPage } from '../../pages/page-routes.js';
import type { Switches } from '../../switches.js';
import type { Context } from '../context.js';
import { chooseLocale } from './locale.js';
import { theSchema } from '../schema/schema.js';
import { latencySince, resultPlugin, rulesPlugin } from './yoga-plugins.js';
import { yoga } from '../graphql-packages.js';

const BODY_BYTES_MAX = 1_048_576;
/** Items of an array (interface.md 4.4). */
const BATCH_MAX = 100;

/**
 * `POST /graphql` (interface.md 4.1, 4.3, 4.4), and the page for a browser that opens it. HTTP is checked here, GraphQL
 * is yoga's.
 * @param baseUrl origin of the upstream
 */
export function graphqlRoutes(baseUrl: string): RouteOptions[] {
  const server = yoga.createYoga<Context>({
    schema: theSchema(),
    batching: { limit: Number.MAX_SAFE_INTEGER },
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: 'error',
    plugins: [rulesPlugin(), resultPlugin()],
  });
  return [
    {
      method: 'POST',
      url: '/graphql',
      config: { name: 'graphql', openToBrowsers: true },
      bodyLimit: 64 * 1_048_576, // only bounds what is read
      handler: (request, reply) => {
        const context = contextOf(request, baseUrl);
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const refusal = refuseBody(request.headers['content-type'], body, context.switches);
        if (refusal !== undefined) return refuse(reply, refusal, context);
        return execute(server, body, context, reply);
      },
    },
    {
      method: 'GET', // a page with a token in it: closed to other origins
      url: '/graphql',
      config: { name: 'graphql' },
      handler: (request, reply) => {
        if (request.headers.accept?.includes('text/html') === true) return graphiqlPage(request, reply);
        const refusal = { status: 405, message: 'Only POST is answered here.' };
        return refuse(reply.header('Allow', 'POST'), refusal, contextOf(request, baseUrl));
      },
    },
  ];
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** The reason why a body cannot be a GraphQL request. */
function refuseBody(contentType: string | undefined, body: Buffer, switches: Switches): Refusal | undefined {
  const { mediaType, utf8 } = readContentType(contentType);
  if (mediaType !== 'application/json' || !utf8) {
    return { status: 415, message: 'Only application/json in UTF-8 is taken.' };
  }
  if (body.length > BODY_BYTES_MAX) return { status: 413, message: 'The body is too large.' };
  const parsed = parseJson(body);
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
  reply: FastifyReply,
  { status, message }: Refusal,
  { startedAtMs }: Pick<Context, 'startedAtMs'>,
): FastifyReply {
  const errors = [{ message, extensions: { code: 'BAD_USER_INPUT' } }];
  return reply.code(status).send({ errors, extensions: latencySince(startedAtMs) });
}

function contextOf({ state, exchange, headers }: FastifyRequest, baseUrl: string): Context {
  const notes = { fields: [], ruleBreaks: [], codes: [] };
  exchange.notes = notes;
  return {
    ...state,
    ...notes,
    world: state.world(),
    tell: (type, facts) => state.feed.tell(type, facts),
    now: state.clock.now,
    credential: exchange.credential,
    locale: chooseLocale(headers['accept-language']),
    baseUrl,
    startedAtMs: exchange.startedAtMs,
  };
}

async function execute(
  server: { fetch: (url: string, init: RequestInit, context: Context) => Response | Promise<Response> },
  body: Buffer,
  context: Context,
  reply: FastifyReply,
): Promise<string> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const init = { method: 'POST', headers, body: body.toString('utf8') };
  const response = await server.fetch('http://playground/graphql', init, context);
  reply.code(response.status).headers({ 'Content-Language': context.locale, Vary: 'Accept-Language' });
  reply.type('application/json; charset=utf-8');
  return response.text();
}
