import { writeFileSync } from 'node:fs';
import { documentSettings } from '../dist/config/document-settings.js';
import { documentErrors } from '../dist/errors/document-errors.js';

/** Writes the pages that are generated from the code's own tables. */
writeFileSync('docs/configuration.md', documentSettings());
writeFileSync('docs/errors.md', documentErrors());
