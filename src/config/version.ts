import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from './package-dir.js';

/** Version of this package, from its `package.json`. */
export const VERSION = readVersion();

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
