const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';

/**
 * The content type of an answer (GraphQL over HTTP, "Accept"): `application/graphql-response+json` where the caller's
 * `Accept` names it and does not prefer `application/json` (RFC 9110 section 12.5.1), else `application/json`. A wildcard
 * names nothing: callers that do not know the newer type get what they always got.
 */
export function answerMediaType(accept: string | undefined): string {
  const isGraphql = accept !== undefined && /graphql-response\+json/i.test(accept) && prefersGraphql(accept);
  return `${isGraphql ? GRAPHQL_TYPE : JSON_TYPE}; charset=utf-8`;
}

function prefersGraphql(accept: string): boolean {
  const qualities = readQualities(accept);
  const graphql = qualities.get(GRAPHQL_TYPE) ?? 0;
  const json = qualities.get(JSON_TYPE) ?? qualities.get('application/*') ?? qualities.get('*/*') ?? 0;
  return graphql > 0 && graphql >= json;
}

/** The quality of each media range, whatever its other parameters. */
function readQualities(accept: string): ReadonlyMap<string, number> {
  return new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.toLowerCase().split(';');
      const q = parameters.map((one) => one.trim()).find((one) => one.startsWith('q='));
      return [type.trim(), q === undefined ? 1 : Number(q.slice(2)) || 0];
    }),
  );
}
