import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

const MANIFEST = findPackageJSON('.', import.meta.url)!;

/** Folder of this package. Its files besides code are found here, whatever the working directory. */
export const PACKAGE_DIR = dirname(MANIFEST);

/** Version of this package, from its `package.json`. */
export const { version: VERSION } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as {
  readonly version: string;
};
