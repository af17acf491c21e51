import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** With the journal that SQLite has beside it while it writes. */
const HALF_BACKUP = /^backup-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.sqlite(-journal|-wal|-shm)?$/;

/** A name for the file that a backup is made in, beside the database; it is deleted as soon as it is made. */
export function halfBackupName(): string {
  return `backup-${randomUUID()}.sqlite`;
}

/** Deletes what a process left there that was killed while it made a backup; the caller holds the lock of the database. */
export async function removeHalfBackups(dataDir: string): Promise<void> {
  if (dataDir === ':memory:') return;
  const left = (await readdir(dataDir)).filter((name) => HALF_BACKUP.test(name));
  await Promise.all(left.map((name) => rm(join(dataDir, name), { force: true })));
}
