import { parseArgs } from 'node:util';

/**
 * `npm run operations`: the command `partner-bff operations`, and the subcommand `types` of a clone, which prints TypeScript
 * types of the registered operations or writes them to `--out`. `--schema` and `--operations` work as for `check`.
 */
const [word, ...args] = process.argv.slice(2);
if (word === 'types') {
  try {
    await writeTypes(args);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 2;
  }
} else {
  process.argv.splice(2, 0, 'operations');
  await import('../dist/main.js');
}

async function writeTypes(args) {
  const text = { type: 'string' };
  const { values } = parseArgs({ args, options: { schema: text, operations: text, out: text } });
  const { foldersOf, schemaOf } = await import('../dist/command/operations.js');
  const { loadOperations } = await import('../dist/operations/registered-operations.js');
  const { operationTypes, writeTypesTo } = await import('./operation-types.ts');
  const compiled = [...loadOperations(foldersOf(values.operations, process.env)).all()].map(
    (operation) => operation.compiled,
  );
  const types = await operationTypes(await schemaOf(values.schema, process.env), compiled);
  if (values.out === undefined) process.stdout.write(types);
  else writeTypesTo(values.out, types);
}
