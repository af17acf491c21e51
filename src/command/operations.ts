import { readFileSync } from 'node:fs';
import { parse, type GraphQLSchema } from 'graphql';
import { ConfigError, readSettings, type Environment } from '../config/load-config.js';
import { type CheckedDocument, readSchema, SchemaFault } from '../operations/check-documents.js';
import { loadOperations } from '../operations/registered-operations.js';
import { findDrift } from '../ops/schema-check/schema-drift.js';
import { CommandFault, countDrift, counted, type Run } from './command.js';
import { readSubcommand, TEXT } from './read-arguments.js';
import { PartnerAccess } from './partner-access.js';
import * as SUBSCRIPTIONS from './subscriptions/subscription-documents.js';

const FAULTS = 1;
const FAILED = 2;
const FORMS = { check: { options: { schema: TEXT, operations: TEXT } } } as const;

/**
 * `operations check`: registered operations against a schema. Starts no service, and reads of the environment only what it
 * needs to reach the upstream.
 * @returns 0, 1 with faults; 2 if it could not check
 */
export const operations: Run = async (argv, environment, { print }) => {
  const { schema, operations: folders } = readSubcommand('operations', argv, FORMS).values;
  try {
    const registered = loadOperations(foldersOf(folders, environment)).all();
    const drift = findDrift(await schemaOf(schema, environment), registered, subscriptionDocuments());
    for (const sentence of drift.faults) print(`fault: ${sentence}`);
    for (const sentence of drift.deprecated) print(`deprecated: ${sentence}`);
    print(`${counted(drift.documents, 'document')} checked: ${countDrift(drift)}.`);
    return drift.faults.length > 0 ? FAULTS : 0;
  } catch (error) {
    const isExpected = error instanceof CommandFault || error instanceof ConfigError;
    throw new CommandFault(isExpected ? error.message : String(error), FAILED);
  }
};

/**
 * @param given folders as `OPERATIONS_DIR` has them, in its place
 * @throws ConfigError
 */
export function foldersOf(given: string | undefined, environment: Environment): readonly string[] {
  const settings = given === undefined ? environment : { OPERATIONS_DIR: given };
  return readSettings(['OPERATIONS_DIR'], settings).OPERATIONS_DIR;
}

/** Documents that the command for webhook subscriptions sends. */
function subscriptionDocuments(): CheckedDocument[] {
  return Object.entries(SUBSCRIPTIONS).map(([name, text]) => ({
    source: `subscriptions, ${name.toLowerCase()} (built in)`,
    document: parse(text),
    places: [],
  }));
}

/**
 * The schema in a file, or that of an endpoint.
 * @param given file or address; by default the endpoint of `UPSTREAM_URL`
 * @throws CommandFault
 */
export async function schemaOf(given: string | undefined, environment: Environment): Promise<GraphQLSchema> {
  const isFile = given !== undefined && !/^https?:/i.test(given); // an address may hold a password
  try {
    return readSchema(
      isFile ? readFileSync(given, 'utf8') : await PartnerAccess.fetchSchema(given, environment),
    );
  } catch (error) {
    if (error instanceof CommandFault || error instanceof ConfigError) throw error;
    const source = isFile ? given : 'The introspection result';
    const reason = error instanceof SchemaFault ? error.message : 'it cannot be read';
    throw new CommandFault(`${source} cannot be used: ${reason}.`, FAILED);
  }
}
