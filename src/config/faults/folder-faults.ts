import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const { W_OK, X_OK } = constants;

/** Why the files of a folder cannot be listed, or undefined. */
export function readFault(folder: string): string | undefined {
  try {
    readdirSync(folder);
    return undefined;
  } catch (error) {
    return `cannot be read (${codeOf(error)})`;
  }
}

/** Why no files can be kept in a folder, or undefined. A missing one is fine where it can be made; nothing is made here. */
export function writeFault(folder: string): string | undefined {
  try {
    accessSync(existingPart(resolve(folder)), W_OK | X_OK);
    return undefined;
  } catch (error) {
    return `cannot be written to (${codeOf(error)})`;
  }
}

/** The folder, or the nearest one above it that exists. */
function existingPart(folder: string): string {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return existingPart(dirname(folder));
  if (stats.isDirectory()) return folder;
  throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
