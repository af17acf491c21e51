import { STATUS_CODES } from 'node:http';
import ts from 'typescript';
import { errorStatuses } from './errors.js';
import { headersOf, OWN_CONTENT } from './own-shapes.js';

const JSON_TYPE = 'application/json';

/** The operation object of a route. */
export function operationOf(route, schemas, checker) {
  const own = OWN_CONTENT[`${route.method} ${route.path}`] ?? {};
  const [summary, description] = summed(route.about);
  const body = requestBody(route, own, schemas);
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary,
    ...(description && { description }),
    security: securityOf(route),
    parameters: [...parameters(route, schemas), ...headersOf(route).map(header)],
    ...(body && { requestBody: body }),
    responses: responses(route, own, schemas, checker),
  };
}

function operationId({ method, path }) {
  const words = path.replaceAll(/\{(\w+)\}/g, 'by-$1').match(/\w+/g) ?? ['root'];
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** The first sentence, and the rest. */
function summed(text) {
  const [, first, rest = ''] = /^(.*?[^.])(?:[.:] (.*))?$/s.exec(text.replace(/\.$/, '')) ?? [];
  if (!first) return [undefined, ''];
  return [first, rest && `${rest.charAt(0).toUpperCase()}${rest.slice(1)}.`];
}

function securityOf({ listener, config }) {
  if (listener === 'ops') return config.includes('open: true') ? [] : [{ opsToken: [] }];
  if (config.includes("'open'")) return [];
  const user = [{ bearer: [] }, { cookie: [] }];
  return config.includes("'optional-end-user'") ? [{}, ...user] : user;
}

function parameters({ path, inputs }, schemas) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const members = inputs.others.flatMap((type) => schemas.members(type));
  const known = Object.fromEntries(members.map((member) => [member.name, member]));
  const ofPath = inPath.map((name) => ({
    name,
    in: 'path',
    required: true,
    ...described(known[name]?.schema ?? { type: 'string' }),
  }));
  const ofQuery = Object.values(known)
    .filter(({ name }) => !inPath.includes(name))
    .map(({ name, required, schema }) => ({ name, in: 'query', required, ...described(schema) }));
  return [...ofPath, ...ofQuery];
}

function described({ description, ...schema }) {
  return { ...(description && { description }), schema };
}

function header(name) {
  return { $ref: `#/components/parameters/${name}` };
}

function requestBody({ inputs }, own, schemas) {
  if (own.body) return { required: true, content: own.body };
  if (inputs.csv) return { required: true, content: { 'text/csv': { schema: { type: 'string' } } } };
  if (inputs.bodies.length === 0) return undefined;
  const [schema] = inputs.bodies.map((type) => schemas.of(type));
  return { required: !inputs.mayBeMissing, content: { [JSON_TYPE]: { schema } } };
}

function responses(route, own, schemas, checker) {
  const content =
    route.method === 'head' ? undefined : (own.answer ?? answerContent(route, schemas, checker));
  const success = Object.fromEntries(
    statusesOf(route).map((status) => [
      status,
      {
        description: STATUS_CODES[status],
        headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
        ...(content && { content }),
      },
    ]),
  );
  const kind = route.path === '/graphql' ? 'Graphql' : 'Problem';
  const errors = errorStatuses(route).map((status) => [
    status,
    { $ref: `#/components/responses/${kind}${status}` },
  ]);
  return {
    ...Object.fromEntries(errors),
    ...success,
    default: { $ref: `#/components/responses/${kind}Other` },
  };
}

/** The statuses that the code names, else the one that Nest or Fastify gives. */
function statusesOf({ method, text, listener }) {
  const decorated = /@HttpCode\((\d+)\)/.exec(text)?.[1];
  const set = [...text.matchAll(/\.(?:code|status)\(([^()]*)\)/g)].flatMap(
    ([, given]) => given.match(/\b\d{3}\b/g) ?? [],
  );
  if (decorated) return [Number(decorated)];
  if (set.length > 0) return set.map(Number);
  return [listener === 'ops' && method === 'post' ? 201 : 200];
}

/** The media types that a docstring or the code names, as text; else the JSON of what the handler returns. */
function answerContent({ handler, text, produces }, schemas, checker) {
  const named = produces ?? [...text.matchAll(/\.type\('([^';]+)/g)].map(([, type]) => type);
  if (named.length > 0) {
    const schema = (type) => (type.endsWith('/json') ? {} : { type: 'string' });
    return Object.fromEntries(named.map((type) => [type, { schema: schema(type) }]));
  }
  const signature = checker.getSignatureFromDeclaration(handler);
  const type = checker.getAwaitedType(checker.getReturnTypeOfSignature(signature));
  if (type.flags & (ts.TypeFlags.Void | ts.TypeFlags.Never)) return undefined; // a reply is awaited as nothing
  const mediaType = /@Header\('content-type', '([^';]+)/.exec(text)?.[1] ?? JSON_TYPE;
  return { [mediaType]: { schema: schemas.of(type) } };
}
