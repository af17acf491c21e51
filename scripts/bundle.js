import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build } from 'vite';

/**
 * `npm run bundle`: the compiled service of `dist` and every package it runs on, as a few files in `bundle`, so that an
 * installation needs no `node_modules` and starts in half the time. What a setting asks for (PostgreSQL, Redis, traces)
 * stays in files of its own, loaded on demand.
 */
const [from = 'dist', to = 'bundle'] = process.argv.slice(2);
const ENTRIES = {
  main: 'main.js',
  'sqlite-worker': 'storage/sqlite/sqlite-worker.js',
  'memberships-cli': 'hirer-access/command/memberships-cli.js',
  'operations-cli': 'ops/schema-check/operations-cli.js',
  'subscriptions-cli': 'ops/subscriptions/subscriptions-cli.js',
};
/** What Nest, Fastify and pg import if it is there, and what only development uses. */
const EXTERNAL = [
  /^@nestjs\/(microservices|websockets|platform-(express|socket\.io))/,
  /^@fastify\/(static|view)$/,
  /^class-transformer/,
  'pg-native',
  /^partner-bff-playground/,
  /^@graphql-codegen\//,
];
const CHART = ['dist/uPlot.esm.js', 'dist/uPlot.min.css', 'package.json'];

await build({
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  resolve: { mainFields: ['module', 'main'] },
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: true,
    target: 'node24',
    outDir: to,
    emptyOutDir: true,
    sourcemap: true,
    minify: false,
    license: { fileName: 'LICENSES.md' },
    rolldownOptions: {
      input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, `${from}/${path}`])),
      external: EXTERNAL,
      output: { keepNames: true, entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
});
const chartFolder = createRequire(import.meta.url)
  .resolve('uplot/package.json')
  .replace(/package\.json$/, '');
for (const file of CHART) cpSync(chartFolder + file, `${to}/node_modules/uplot/${file}`);
cpSync(`${from}/ops/dashboard/page`, `${to}/page`, { recursive: true });
