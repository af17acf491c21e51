import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { graphqlResponses, problemResponses } from './openapi/errors.js';
import { inputsOf } from './openapi/inputs.js';
import { operationOf } from './openapi/operation.js';
import { ANSWER_HEADERS, graphqlFailure, OWN_SCHEMAS, REQUEST_HEADERS } from './openapi/own-shapes.js';
import { findRoutes } from './openapi/routes.js';
import { Schemas } from './openapi/schemas.js';

export { declarationsOf } from './openapi/declarations.js';

const VERBS = ['get', 'head', 'post', 'put', 'delete'];
const TITLES = {
  public: [
    'Partner BFF',
    'For the frontends of end users, for back ends, and for the webhooks of the upstream.',
  ],
  ops: ['Partner BFF, operations', 'For operators: the listener of `OPS_PORT`.'],
};
const SCHEMES = {
  public: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The access token of the end user, or of a machine.',
    },
    cookie: {
      type: 'apiKey',
      in: 'cookie',
      name: 'END_USER_COOKIE',
      description:
        'The same token in the cookie that `END_USER_COOKIE` names, where it is set. Writes then need `X-CSRF: 1` and an allowed `Origin`.',
    },
  },
  ops: {
    opsToken: { type: 'http', scheme: 'bearer', description: '`OPS_TOKEN`, where it is set.' },
  },
};

/**
 * The OpenAPI documents of both listeners, from the sources: routes, docstrings and types of controllers and of what is
 * given to `Routes.add`; what they `validate`; and the error table.
 * @param codes `ERROR_CODES`
 */
export function openApiDocuments(codes) {
  const program = readProgram();
  const checker = program.getTypeChecker();
  const routes = findRoutes(program).map((route) => ({ ...route, inputs: inputsOf(route.handler, checker) }));
  const of = (listener) => {
    const own = routes.filter((route) => route.listener === listener);
    return documentOf(listener, own, { codes, program, checker });
  };
  return { public: of('public'), ops: of('ops') };
}

function readProgram() {
  const { config } = ts.readConfigFile('tsconfig.build.json', ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  return ts.createProgram(fileNames, options);
}

function documentOf(listener, routes, { codes, program, checker }) {
  const schemas = new Schemas(checker);
  schemas.of(problemType(program, checker));
  const sorted = routes.toSorted(
    (one, other) => one.path.localeCompare(other.path, 'en') || rank(one) - rank(other),
  );
  const paths = {};
  for (const route of sorted) {
    paths[route.path] ??= {};
    paths[route.path][route.method] = operationOf(route, schemas, checker);
  }
  const [title, description] = TITLES[listener];
  const tags = new Map(sorted.map(({ tag, tagAbout }) => [tag, tagAbout]));
  const graphql = listener === 'public';
  const components = {
    securitySchemes: SCHEMES[listener],
    parameters: Object.fromEntries(
      Object.entries(REQUEST_HEADERS).map(([name, one]) => [name, { name, in: 'header', ...one }]),
    ),
    headers: ANSWER_HEADERS,
    responses: { ...problemResponses(codes), ...(graphql && graphqlResponses(codes)) },
    schemas: {
      ...schemas.components,
      ...(graphql && { ...OWN_SCHEMAS, GraphqlFailure: graphqlFailure(codes) }),
    },
  };
  return {
    openapi: '3.1.1',
    info: {
      title,
      description,
      version: JSON.parse(readFileSync('package.json', 'utf8')).version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...tags].map(([name, about]) => ({ name, description: about })),
    paths,
    components: used(components, paths),
  };
}

function rank({ method }) {
  return VERBS.indexOf(method);
}

function problemType(program, checker) {
  const source = program.getSourceFiles().find(({ fileName }) => fileName.endsWith('src/errors/problem.ts'));
  const [symbol] = checker
    .getExportsOfModule(checker.getSymbolAtLocation(source))
    .filter(({ name }) => name === 'Problem');
  return checker.getDeclaredTypeOfSymbol(symbol);
}

/** The components that the paths refer to, directly or through another. */
function used({ securitySchemes, ...components }, paths) {
  const named = new Set();
  const note = (value) => {
    for (const [, reference] of JSON.stringify(value).matchAll(/"#\/components\/([^"]+)"/g)) {
      if (named.has(reference)) continue;
      named.add(reference);
      const [kind, name] = reference.split('/');
      note(components[kind][name]);
    }
  };
  note(paths);
  const kept = Object.entries(components).map(([kind, all]) => [
    kind,
    Object.fromEntries(Object.entries(all).filter(([name]) => named.has(`${kind}/${name}`))),
  ]);
  return { securitySchemes, ...Object.fromEntries(kept) };
}
