import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'graphql';
import { ConfigError, readSetting, type Config, type Environment } from '../config/load-config.js';
import {
  checkDocuments,
  toCheckedDocument,
  type CheckedDocument,
} from '../operations/schema/check-documents.js';
import { readSchema, SchemaFault } from '../operations/schema/read-schema.js';
import { loadOperations } from '../operations/registered-operations.js';
import { builtInQueries } from '../ops/schema-check/built-in-queries.js';
import { CommandFault, counted, countedFindings, type Output } from './command.js';
import { readSubcommand, TEXT } from './read-arguments.js';
import { PartnerAccess } from './partner-access.js';
import * as SUBSCRIPTIONS from './subscriptions/subscription-documents.js';

const FAULTS = 1;
const FAILED = 2;
const OPTIONS = { schema: TEXT, operations: TEXT } as const;
const FORMS = {
  check: { options: OPTIONS },
  types: { options: { ...OPTIONS, out: TEXT } },
} as const;

interface Work extends Output {
  readonly schema: string | undefined;
  readonly operations: readonly string[];
  readonly out: string | undefined;
  readonly environment: Environment;
}

/**
 * `operations`: checks registered operations against a schema, and writes their TypeScript types. Starts no service, and
 * reads of the environment only what it needs to reach the upstream.
 * @returns 0, 1 with faults; 2 if it could not check
 */
export async function operations(
  argv: readonly string[],
  environment: Environment,
  output: Output,
): Promise<number> {
  const words = readSubcommand('operations', argv, FORMS);
  const { schema } = words.values;
  const out = words.name === 'check' ? undefined : words.values.out;
  try {
    const folders = foldersOf(words.values.operations, environment);
    const work = { ...output, schema, out, environment, operations: folders };
    return await COMMANDS[words.name](work);
  } catch (error) {
    const isExpected = error instanceof CommandFault || error instanceof ConfigError;
    throw new CommandFault(isExpected ? (error as Error).message : String(error), FAILED);
  }
}

const COMMANDS = { check, types: writeTypes } as const;

function foldersOf(given: string | undefined, environment: Environment): readonly string[] {
  const faults: string[] = [];
  const settings = given === undefined ? environment : { OPERATIONS_DIR: given };
  const folders = readSetting('OPERATIONS_DIR', settings, faults) as Config['OPERATIONS_DIR'];
  if (faults.length > 0) throw new ConfigError(faults);
  return folders;
}

async function check(work: Work): Promise<number> {
  const documents = [
    ...compiledOf(work).map(toCheckedDocument),
    ...builtInQueries(),
    ...subscriptionDocuments(),
  ];
  const findings = checkDocuments(await schemaOf(work), documents);
  for (const { kind, source, sentence } of findings) {
    work.print(`${kind === 'fault' ? 'fault' : 'deprecated'}: ${source}: ${sentence}`);
  }
  const faults = findings.filter(({ kind }) => kind === 'fault').length;
  work.print(
    `${counted(documents.length, 'document')} checked: ${countedFindings(faults, findings.length - faults)}.`,
  );
  return faults > 0 ? FAULTS : 0;
}

/** What the command for webhook subscriptions sends. */
function subscriptionDocuments(): CheckedDocument[] {
  return Object.entries(SUBSCRIPTIONS).map(([name, text]) => ({
    source: `subscriptions, ${name.toLowerCase()} (built in)`,
    document: parse(text),
    places: [],
  }));
}

async function writeTypes(work: Work): Promise<number> {
  const { operationTypes } = await loadGenerator();
  write(work, await operationTypes(await schemaOf(work), compiledOf(work)));
  return 0;
}

function write({ out, print }: Work, text: string): void {
  if (out === undefined) print(text.trimEnd());
  else writeFileSync(out, `${text.trimEnd()}\n`);
}

/** The generator is loaded on demand, because a production installation does not have it. */
async function loadGenerator() {
  try {
    return await import('../ops/schema-check/operation-types.js');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new CommandFault(
      'types needs the development dependencies: run it in a clone, after "npm ci".',
      FAILED,
    );
  }
}

function compiledOf({ operations: folders }: Work) {
  return [...loadOperations(folders).all()].map(({ compiled }) => compiled);
}

async function schemaOf({ schema, environment }: Work) {
  const isFile = schema !== undefined && !/^https?:/i.test(schema); // an address may hold a password
  const text = isFile ? readFile(schema) : await PartnerAccess.fetchSchema(schema, environment);
  try {
    return readSchema(text);
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    const source = isFile ? schema : 'The answer to introspection';
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
