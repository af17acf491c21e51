import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** Version of this package, from its `package.json`. */
export const VERSION = readVersion();

function readVersion(): string {
  const file = findPackageJSON('.', import.meta.url);
  const { version } = JSON.parse(readFileSync(file!, 'utf8')) as { version: string };
  return version;
}
