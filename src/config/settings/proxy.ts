import { integer, list, oneOf, setting, type Reading, type Setting } from '../values/setting.js';

/** The word in `OPERATIONS_DIR` for the operations that the package carries. */
export const SHIPPED = 'shipped';

/** Settings of `/graphql` and attachments. */
export const PROXY = {
  OPERATIONS_DIR: list('folders', /./, {
    fallback: [SHIPPED],
    text: 'Folders of registered operations (`.graphql` files). The word `shipped` stands for the operations of the installed package; any other folder is relative to the working directory and must hold at least one. Of two operations of one name, that of the later folder counts.',
  }),
  OPERATION_RULES: oneOf(['enforce', 'warn', 'off'], {
    fallback: 'warn',
    text: 'What happens to an operation that breaks the [rules of the interface](interface.md#43-rules-for-operations): refused, reported, or ignored.',
  }),
  OPERATIONS_CHECK: oneOf(['off', 'daily'], {
    fallback: 'off',
    text: "Whether registered operations and the service's own queries are checked against the upstream's schema, at start and every day. What the schema refuses is a warning in the log and a metric.",
  }),
  BATCH_LIMIT: integer(1, 100, 'items', { fallback: 10, text: 'Largest array body of `/graphql`.' }),
  UPSTREAM_BATCHING: oneOf(['array', 'fanout'], {
    fallback: 'array',
    text: 'How an array is sent upstream: as one array ([interface 4.4](interface.md#44-batching)), or as one request for each item.',
  }),
  DOCUMENT_TOKENS_MAX: integer(100, 100_000, 'tokens', {
    fallback: 3_000,
    text: 'Longest operation text accepted on `/graphql`, in GraphQL tokens; a text may have 64 characters for each.',
  }),
  DOCUMENT_DEPTH_MAX: integer(1, 1_000, 'levels', {
    fallback: 20,
    text: 'Deepest selection of an operation text, fragments included.',
  }),
  ANSWER_LIMIT_BYTES: integer(1024, 1_073_741_824, 'bytes', {
    fallback: 4_194_304,
    text: 'Largest answer accepted from the upstream to one operation of free text.',
  }),
  REGISTERED_ANSWER_LIMIT_BYTES: integer(1024, 1_048_576, 'bytes', {
    fallback: 1_048_576,
    text: 'Largest answer to one registered operation; a larger one is `UPSTREAM_ERROR`. Checking it takes processor time in proportion.',
  }),
  ATTACHMENT_PATH_PATTERN: setting('regular expression', readPattern, {
    fallback: /\/attachments\//,
    fallbackText: '`/attachments/`',
    text: "Regular expression that the path of a URL on the upstream's origin matches if it is an attachment.",
  }),
  ATTACHMENT_TTL_SECONDS: integer(1, 86_400, 'seconds', {
    fallback: 900,
    text: 'Lifetime of a sealed attachment link.',
  }),
} as const satisfies Record<string, Setting<unknown>>;

function readPattern(text: string): Reading<RegExp> {
  try {
    return { value: new RegExp(text) };
  } catch {
    return { fault: 'must be a regular expression' };
  }
}
