import { readFileSync } from 'node:fs';
import { documentErrors } from '../errors/document-errors.js';
import { documentSettings } from './document-settings.js';

describe('generated pages', () => {
  test.each([
    ['docs/configuration.md', documentSettings],
    ['docs/errors.md', documentErrors],
  ])('%s matches the code; regenerate it with npm run docs', (file, generate) => {
    expect(readFileSync(file, 'utf8')).toBe(generate());
  });
});
