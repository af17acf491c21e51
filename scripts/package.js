import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * `npm pack` of the service: the bundle, with no dependency. `prepack` puts the manifest of the package in place of the
 * repository's, and the types of its events beside it; `postpack`, with the word `restore`, puts everything back.
 */
const MANIFEST = 'package.json';
const KEPT = 'package.repository.json';
const TYPES = ['event-types', 'deliveries', 'operations'];
/** What the repository's manifest shares with the package's. */
const SHARED = ['name', 'version', 'description', 'type', 'license', 'engines', 'files'];

if (existsSync(KEPT)) renameSync(KEPT, MANIFEST); // also where an earlier packing ended before it had put it back
rmSync('types', { recursive: true, force: true });
if (process.argv[2] !== 'restore') {
  for (const name of TYPES) cpSync(`client/dist/server/${name}.d.ts`, `types/${name}.d.ts`);
  const repository = JSON.parse(readFileSync(MANIFEST, 'utf8'));
  const manifest = {
    ...Object.fromEntries(SHARED.map((name) => [name, repository[name]])),
    bin: { 'partner-bff': 'bundle/main.js' },
    exports: {
      './events': { types: './types/event-types.d.ts' },
      './schemas/*': './schemas/*',
      './package.json': './package.json',
    },
  };
  renameSync(MANIFEST, KEPT);
  writeFileSync(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
}
