import { request, type Bff, type SendOptions } from '../src/client.js';

interface Location {
  readonly id: { readonly value: string };
}

/** The identifiers of the locations with these identifiers, asked for in one operation. */
export async function loadLocations(
  bff: Bff,
  ids: readonly string[],
  options?: SendOptions,
): Promise<string[]> {
  const declared = ids.map((_, at) => `$id${at}: String!`).join(', ');
  const fields = ids.map((_, at) => `item${at}: location(id: $id${at}) { id { value } }`).join(' ');
  const operation = {
    query: `query (${declared}) { ${fields} }`,
    variables: Object.fromEntries(ids.map((id, at) => [`id${at}`, id])),
  };
  const found = await request<Record<string, Location>, object>(bff, operation, options);
  return Object.values(found).map(({ id }) => id.value);
}
