import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

/** Folder of this package. What it carries besides code is found here, whatever the working directory. */
export const PACKAGE_DIR = dirname(findPackageJSON('.', import.meta.url)!);
