import { ConfigError, readSettings } from '../config/load-config.js';
import { copyStore } from '../storage/copy-store.js';
import { counted, type Run } from './command.js';
import { readSubcommand, TEXT } from './read-arguments.js';

const FORMS = { copy: { options: { from: TEXT } } } as const;

/** `storage copy`: the embedded database into that of a server. */
export const storage: Run = async (argv, environment, { print }) => {
  const { from } = readSubcommand('storage', argv, FORMS).values;
  const { DATABASE_URL: to, DATA_DIR } = readSettings(['DATABASE_URL', 'DATA_DIR'], environment);
  if (to === undefined) throw new ConfigError(['DATABASE_URL must name the database to copy to']);
  for (const [table, rows] of await copyStore(from ?? DATA_DIR, to)) {
    print(`${table}: ${counted(rows, 'row')}`);
  }
  print('The copy is complete. Start the service with DATABASE_URL.');
  return 0;
};
