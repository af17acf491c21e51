import { readFileSync } from 'node:fs';
import { startPlayground } from '../../playground/src/playground.js';
import { exampleApplications, exampleTypes } from '../../scripts/example-files.js';
import { operationTypes } from '../../src/ops/schema-check/operation-types.js';
import { readSchema } from '../../src/operations/schema/read-schema.js';
import { loadOperations } from '../../src/operations/registered-operations.js';

const FOLDER = 'examples/frontend/src';

describe('the generated files of the example; npm run docs writes them', () => {
  test('types are those of the registered operations that it names', async () => {
    const types = await exampleTypes({ loadOperations, operationTypes, readSchema });
    expect(types).toContain('ApplicationQuery');
    expect(readFileSync(`${FOLDER}/operations.ts`, 'utf8')).toBe(types);
  });

  test("applications are the playground's", async () => {
    const playground = await startPlayground({ port: 0 });
    try {
      expect(readFileSync(`${FOLDER}/applications/applications.json`, 'utf8')).toBe(
        exampleApplications(playground),
      );
    } finally {
      await playground.close();
    }
  });
});
