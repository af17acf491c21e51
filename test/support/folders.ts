import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endsByItself } from './ends.js';

/** Makes an empty folder of a suite's own. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bff-'));
  endsByItself(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a folder with these files, such as operations. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
