import { ConfigError, readSetting } from '../config/load-config.js';
import { copyStore } from '../storage/copy-store.js';
import { counted, type Run } from './command.js';
import { FLAG, readSubcommand, TEXT } from './read-arguments.js';

const FORMS = { copy: { options: { from: TEXT, 'dry-run': FLAG } } } as const;

/** `storage copy`: the embedded database into that of a server. */
export const storage: Run = async (argv, environment, { print }) => {
  const { from, 'dry-run': dryRun } = readSubcommand('storage', argv, FORMS).values;
  const faults: string[] = [];
  const to = readSetting('DATABASE_URL', environment, faults) as URL | undefined;
  const folder = from ?? (readSetting('DATA_DIR', environment, faults) as string);
  if (to === undefined && faults.length === 0) faults.push('DATABASE_URL must name the database to copy to');
  if (to === undefined || faults.length > 0) throw new ConfigError(faults);
  for (const [table, rows] of await copyStore(folder, to, dryRun)) print(`${table}: ${counted(rows, 'row')}`);
  print(dryRun ? 'Nothing was written.' : 'The copy is whole. Start the service with DATABASE_URL.');
  return 0;
};
