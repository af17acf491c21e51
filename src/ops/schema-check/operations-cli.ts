import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ConfigError, readSetting, type Config } from '../../config/load-config.js';
import { checkDocuments, toCheckedDocument } from '../../operations/compile/check-documents.js';
import { SchemaFault, readSchema } from '../../operations/compile/read-schema.js';
import { loadOperations } from '../../operations/registered-operations.js';
import { builtInQueries } from './built-in-queries.js';
import { describeDeliveries } from './describe-deliveries.js';
import { AccessFault } from '../partner-access.js';
import { fetchSchema } from './schema-source.js';

// Checks registered operations against a schema, and writes their TypeScript types. Runs on its own, compiled; it starts
// no service, and reads of the environment only what it needs to reach the upstream.

const USAGE = `Registered operations and a GraphQL schema.

  npm run operations -- check [--schema <file or address>] [--operations <folders>]
  npm run operations -- types [--schema <file or address>] [--operations <folders>] [--out <file>]
  npm run operations -- events [--schema <file or address>] [--operations <folders>] [--out <file>]

check prints a sentence for each fault of a registered operation or a built-in query, and for each use of what the
schema deprecates. Its exit code is 0 without faults, 1 with faults, and 2 when it could not check.

types writes TypeScript types of the registered operations, to standard output without --out. It needs the development
dependencies.

events writes the JSON Schema of what the event sink receives, with the data of the operations that have @event.

  --schema      SDL, or the answer to introspection as JSON; or the address of a GraphQL endpoint, which is asked for
                its schema. Without it, the endpoint of UPSTREAM_URL. Only that origin gets a partner token, requested
                with ISSUER_TOKEN_URL, PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET.
  --operations  folders of the operations, as OPERATIONS_DIR has them; without it, those of OPERATIONS_DIR
`;

const FAULTS = 1;
const FAILED = 2;

/** Why the program ends without a result, in a sentence. */
class Failure extends Error {}

interface Options {
  readonly schema: string | undefined;
  readonly operations: readonly string[];
  readonly out: string | undefined;
}

async function run(): Promise<number> {
  const { values, positionals } = readArguments();
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [command, ...others] = positionals;
  const options = {
    schema: values.schema,
    operations: foldersOf(values.operations),
    out: values.out,
  };
  if (command === 'check' && others.length === 0 && options.out === undefined) return check(options);
  if (command === 'types' && others.length === 0) return writeTypes(options);
  if (command === 'events' && others.length === 0) return writeEvents(options);
  throw new Failure(USAGE);
}

function foldersOf(given: string | undefined): readonly string[] {
  const faults: string[] = [];
  const environment = given === undefined ? process.env : { OPERATIONS_DIR: given };
  const folders = readSetting('OPERATIONS_DIR', environment, faults) as Config['OPERATIONS_DIR'];
  if (faults.length > 0) throw new ConfigError(faults);
  return folders;
}

function readArguments() {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      allowPositionals: true,
      options: { schema: text, operations: text, out: text, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new Failure(`${(error as Error).message}\n\n${USAGE}`);
  }
}

async function check(options: Options): Promise<number> {
  const documents = [...compiledOf(options).map(toCheckedDocument), ...builtInQueries()];
  const findings = checkDocuments(await schemaOf(options), documents);
  for (const { kind, source, sentence } of findings) {
    process.stdout.write(`${kind === 'fault' ? 'fault' : 'deprecated'}: ${source}: ${sentence}\n`);
  }
  const faults = findings.filter(({ kind }) => kind === 'fault').length;
  const counts = `${faults} faults, ${findings.length - faults} uses of deprecated members`;
  process.stdout.write(`${documents.length} documents checked: ${counts}.\n`);
  return faults > 0 ? FAULTS : 0;
}

async function writeTypes(options: Options): Promise<number> {
  const { operationTypes } = await loadGenerator();
  const types = await operationTypes(await schemaOf(options), compiledOf(options));
  write(options, types);
  return 0;
}

async function writeEvents(options: Options): Promise<number> {
  const described = describeDeliveries(await schemaOf(options), compiledOf(options));
  write(options, `${JSON.stringify(described, null, 2)}\n`);
  return 0;
}

function write({ out }: Options, text: string): void {
  if (out === undefined) process.stdout.write(text);
  else writeFileSync(out, text);
}

/** The generator is loaded on demand, because a production installation does not have it. */
async function loadGenerator() {
  try {
    return await import('./operation-types.js');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Failure('types needs the development dependencies: run "npm ci" first.');
  }
}

function compiledOf({ operations }: Options) {
  return [...loadOperations(operations).all()].map(({ compiled }) => compiled);
}

async function schemaOf({ schema }: Options) {
  const text = await fetchSchema(schema, process.env);
  try {
    return readSchema(text);
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    const isFile = schema !== undefined && !/^https?:/i.test(schema); // an address may hold a password
    throw new Failure(`${isFile ? schema : 'The answer to introspection'} cannot be used: ${error.message}.`);
  }
}

try {
  process.exitCode = await run();
} catch (error) {
  const isExpected = [Failure, ConfigError, AccessFault].some((type) => error instanceof type);
  process.stderr.write(`${isExpected ? (error as Error).message.trimEnd() : String(error)}\n`);
  process.exitCode = FAILED;
}
