const GRAPHQL_TYPES = ['application/json', 'application/graphql-response+json'];

const HEADERS = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
};

/** The statuses that a route may answer with besides its own, as far as its options tell. */
export function errorStatuses({ listener, path, method, config, inputs }) {
  const isPublic = listener === 'public';
  const signed = path === '/webhooks';
  const authenticates = isPublic ? !config.includes("'open'") || signed : !config.includes('open: true');
  const hasBody = method === 'post' || method === 'put';
  return [
    [400, inputs.others.length > 0 || inputs.bodies.length > 0 || (isPublic && hasBody)],
    [401, authenticates],
    [403, authenticates && !signed],
    [404, path.includes('{')],
    [413, hasBody],
    [415, hasBody],
    [429, isPublic && authenticates && !signed],
    [500, true],
    [502, config.includes('audit:')],
    [503, true],
    [504, config.includes('audit:')],
  ].flatMap(([status, applies]) => (applies ? [status] : []));
}

/** A component for each status of the error table, and one for all of them, as problem+json. */
export function problemResponses(codes) {
  const content = (schema) => ({ 'application/problem+json': { schema } });
  return {
    ...responses('Problem', codes, (status) => content(problemSchema(status, codes))),
    ProblemOther: responseOf('Any other failure.', content({ $ref: '#/components/schemas/Problem' })),
  };
}

/** The same in the shape of GraphQL. */
export function graphqlResponses(codes) {
  const content = (name) =>
    Object.fromEntries(
      GRAPHQL_TYPES.map((type) => [type, { schema: { $ref: `#/components/schemas/${name}` } }]),
    );
  return {
    ...responses('Graphql', codes, () => content('GraphqlFailure')),
    GraphqlOther: responseOf(
      'Any other failure, or what the upstream answered with its status.',
      content('GraphqlAnswer'),
    ),
  };
}

function responses(prefix, codes, contentOf) {
  const statuses = [...new Set(Object.values(codes).map(({ status }) => status))].filter((one) => one >= 400);
  const entries = statuses.map((status) => {
    const rows = Object.entries(codes).filter(([, row]) => row.status === status);
    const description = rows.map(([code, { text }]) => `\`${code}\`: ${text}`).join('\n\n');
    return [`${prefix}${status}`, responseOf(description, contentOf(status), HEADERS[status])];
  });
  return Object.fromEntries(entries);
}

function responseOf(description, content, headers = []) {
  const named = ['X-Request-Id', ...headers].map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return { description, headers: Object.fromEntries(named), content };
}

function problemSchema(status, codes) {
  const names = Object.keys(codes).filter((code) => codes[code].status === status);
  return {
    $ref: '#/components/schemas/Problem',
    properties: { status: { const: status }, code: { enum: names } },
  };
}
