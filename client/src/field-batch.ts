import type { Bff } from './bff.js';
import { errorOfGraphql, type BffError } from './bff-error.js';
import { execute, type SendOptions } from './graphql.js';

/** A root field that is asked for several times in one operation (interface 4.4, field-based). */
export interface BatchedField {
  /** The root field, such as `location`. */
  readonly field: string;
  /** The types of its arguments, such as `{ id: 'String!' }`. */
  readonly arguments: Readonly<Record<string, string>>;
  /** The selection for each object, such as `{ id { value } contextualName }`; empty for a scalar. */
  readonly selection?: string;
  /** Mutations of one operation run one after another, in order; queries run concurrently. `query` by default. */
  readonly kind?: 'query' | 'mutation';
}

/** The answer for one item of a field batch. */
export interface FieldResult<Data> {
  readonly data: Data | null | undefined;
  /** The error at or below this item. */
  readonly error: BffError | undefined;
}

/**
 * The root field for each of `items`, in one operation, answered in their order. Not atomic: each item succeeds or fails
 * alone. For more items than the operation's documented limit, use it within `pages`.
 * @throws BffError when the operation fails as a whole
 */
export async function fieldBatch<Data>(
  bff: Bff,
  field: BatchedField,
  items: readonly Readonly<Record<string, unknown>>[],
  options: SendOptions = {},
): Promise<FieldResult<Data>[]> {
  if (items.length === 0) return [];
  const { data, error, errors } = await execute(bff, operationOf(field, items), options);
  if (error && data == null) throw error;
  return items.map((_, at): FieldResult<Data> => {
    const own = errors.filter(({ path }) => path?.[0] === `item${at}`);
    const value = (data as Record<string, Data | null>)[`item${at}`];
    return { data: value, error: own.length > 0 ? errorOfGraphql(headOf(error!), own, value) : undefined };
  });
}

function headOf({ status, requestId = '', retryAfter }: BffError) {
  return { status, requestId, retryAfter };
}

function operationOf(
  { kind = 'query', field, selection = '', arguments: types }: BatchedField,
  items: readonly Readonly<Record<string, unknown>>[],
) {
  const names = Object.keys(types);
  const definitions = items.flatMap((_, at) => names.map((name) => `$${name}${at}: ${types[name]}`));
  const fields = items.map((_, at) => {
    const values = names.map((name) => `${name}: $${name}${at}`).join(', ');
    return `item${at}: ${field}(${values}) ${selection}`;
  });
  const variables = items.flatMap((item, at) => names.map((name) => [`${name}${at}`, item[name]] as const));
  return {
    query: `${kind} (${definitions.join(', ')}) {\n${fields.join('\n')}\n}`,
    variables: Object.fromEntries(variables),
  };
}
