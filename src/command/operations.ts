import { readFileSync } from 'node:fs';
import { parse, type GraphQLSchema } from 'graphql';
import { ConfigError, readSettings, type Environment } from '../config/load-config.js';
import {
  checkDocuments,
  type CheckedDocument,
  readSchema,
  SchemaFault,
} from '../operations/check-documents.js';
import { loadOperations } from '../operations/registered-operations.js';
import { sentDocuments } from '../ops/schema-check/sent-documents.js';
import { CommandFault, counted, countFindings, type Run } from './command.js';
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
    const documents = [...sentDocuments(registered), ...subscriptionDocuments()];
    const findings = checkDocuments(await schemaOf(schema, environment), documents);
    for (const { kind, source, sentence } of findings) print(`${kind}: ${source}: ${sentence}`);
    const { faults, text } = countFindings(findings);
    print(`${counted(documents.length, 'document')} checked: ${text}.`);
    return faults > 0 ? FAULTS : 0;
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
  const text = isFile ? readFile(given) : await PartnerAccess.fetchSchema(given, environment);
  try {
    return readSchema(text);
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    const source = isFile ? given : 'The introspection result';
    throw new CommandFault(`${source} cannot be used: ${error.message}.`, FAILED);
  }
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new CommandFault(`${file} cannot be read.`);
  }
}
