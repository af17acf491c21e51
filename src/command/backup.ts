import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFault, type Run } from './command.js';
import { readArguments, TEXT } from './read-arguments.js';
import { withStore } from './store/running-service.js';

/** `backup`: a copy of the embedded database in a new file, made while the service works or while none runs. */
export const backup: Run = async (argv, environment, { print }) => {
  const { values, operands } = readArguments('backup', argv, {
    operands: ['<file>'],
    options: { host: TEXT, port: TEXT },
  });
  const file = operands[0]!;
  if (environment['DATABASE_URL'] || environment['DATABASE_URL_FILE']) {
    throw new CommandFault(
      'The database is PostgreSQL: use pg_dump, as docs/operate.md says (Backup and restore).',
    );
  }
  refuseExisting(file);
  return withStore(values, environment, async (store) => {
    const bytes = await keep(file, await store.read('POST', '/backup'));
    print(`${file}: ${bytes} bytes written.`);
    return 0;
  });
};

function refuseExisting(file: string): void {
  if (existsSync(file)) {
    throw new CommandFault(`${file} already exists and was not changed. Name another file.`);
  }
}

/** Under its name only once it is whole and on disk; no file that is there already is written to. @returns bytes */
async function keep(file: string, copy: Readable): Promise<number> {
  const partial = `${file}.${randomUUID()}.partial`;
  const target = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
  try {
    await pipeline(copy, target);
    refuseExisting(file);
    await rename(partial, file);
    return target.bytesWritten;
  } catch (error) {
    if (error instanceof CommandFault) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandFault(`${file} cannot be written: ${code ?? message}.`);
  } finally {
    await rm(partial, { force: true });
  }
}
