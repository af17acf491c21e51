import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

/** Folder of this package. Its files besides code are found here, whatever the working directory. */
export const PACKAGE_DIR = dirname(findPackageJSON('.', import.meta.url)!);
