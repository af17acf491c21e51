import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printSchemaWithDirectives, buildSchema } from '../graphql-packages.js';

const FOLDER = join(import.meta.dirname, '..');
/** The parts of the schema, each beside its resolvers. */
const PARTS = [
  'core/core',
  'organizations/organizations',
  'ontologies/ontologies',
  'people/people',
  'advertising/brandings',
  'advertising/products',
  'questionnaires/questionnaires',
  'positions/positions',
  'positions/previews',
  'positions/posting',
  'positions/unposted-profiles',
  'candidates/candidates',
  'candidates/uploading',
  'candidates/process-history',
  'events/events',
  'webhooks/webhooks',
  'webhooks/subscribing',
];

/** The SDL of every part, one after the other; later ones extend Query and Mutation. */
export function readSdl(): string {
  return PARTS.map((part) => readFileSync(join(FOLDER, `${part}.graphql`), 'utf8')).join('\n');
}

/** The whole schema as one document, as `playground/schema.graphql` has it. */
export function printSdl(): string {
  return `${printSchemaWithDirectives(buildSchema(readSdl()))}\n`;
}
