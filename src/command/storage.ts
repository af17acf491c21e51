import { ConfigError, readSetting, type Environment } from '../config/load-config.js';
import { CopyFault } from '../storage/copy/copy-fault.js';
import { copyStore, type CopyReport } from '../storage/copy/copy-store.js';
import { CommandFault, type Output } from './command.js';
import { FLAG, readSubcommand, TEXT } from './read-arguments.js';

const FORMS = { copy: { options: { from: TEXT, 'dry-run': FLAG, json: FLAG } } } as const;

/** `storage copy`: the embedded database into that of a server. */
export async function storage(
  argv: readonly string[],
  environment: Environment,
  { print }: Output,
): Promise<number> {
  const { from, json, 'dry-run': dryRun } = readSubcommand('storage', argv, FORMS).values;
  const places = readPlaces(environment, from);
  const onTable = (table: string, rows: number): void => {
    if (!json) print(`${table}: ${rows} rows copied`);
  };
  const report = await copyStore({ ...places, dryRun, onTable }).catch(explain);
  print(
    json ? JSON.stringify({ ...places, to: 'DATABASE_URL', dryRun, ...report }) : sentenceOf(report, dryRun),
  );
  return 0;
}

function readPlaces(environment: Environment, from: string | undefined): { from: string; to: URL } {
  const faults: string[] = [];
  const target = readSetting('DATABASE_URL', environment, faults) as URL | undefined;
  const direct = readSetting('DATABASE_LISTEN_URL', environment, faults) as URL | undefined;
  const to = direct ?? target; // past a pooler
  const folder = from ?? (readSetting('DATA_DIR', environment, faults) as string);
  if (to === undefined && faults.length === 0) faults.push('DATABASE_URL must name the database to copy to');
  if (to === undefined || faults.length > 0) throw new ConfigError(faults);
  return { from: folder, to };
}

function explain(error: unknown): never {
  throw error instanceof CopyFault ? new CommandFault(error.message) : error;
}

function sentenceOf({ resumed, tables }: CopyReport, dryRun: boolean): string {
  if (!dryRun) {
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    return `The copy is whole: ${rows} rows in ${tables.length} tables, compared one by one. Start the service with DATABASE_URL.`;
  }
  const lines = tables.map(({ table, rows }) => `${table}: ${rows} rows`);
  const begun = resumed ? 'It would go on with the copy that was begun' : 'The target is empty';
  return [...lines, `${begun}. Nothing was written.`].join('\n');
}
