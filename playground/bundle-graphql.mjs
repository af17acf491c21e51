import { rmSync } from 'node:fs';
import { build } from 'vite';
import { describeBundle, PACKAGES_FILE } from '../scripts/third-party.js';

/**
 * Puts the packages of GraphQL into the package, in place of the file that loads them: a project may hold another
 * version of `graphql`, which npm would give to `graphql-yoga`, and the schemas of two versions do not work together.
 */
const ENTRY = 'graphql-packages';
const text = `
  export * from 'graphql';
  export { createYoga } from 'graphql-yoga';
  export { printSchemaWithDirectives } from '@graphql-tools/utils';`;

await build({
  configFile: false,
  logLevel: 'warn',
  plugins: [
    {
      name: ENTRY,
      resolveId: (id) => (id === ENTRY ? id : null),
      load: (id) => (id === ENTRY ? text : null),
    },
  ],
  resolve: { dedupe: ['graphql'] },
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: 'dist/graphql',
    emptyOutDir: false,
    license: { fileName: PACKAGES_FILE },
    rollupOptions: { input: ENTRY, output: { entryFileNames: `${ENTRY}.js` } },
  },
});
rmSync(`dist/graphql/${ENTRY}.js.map`); // of the file that was replaced
describeBundle('dist/graphql');
