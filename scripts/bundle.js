import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import * as http from 'node:http';
import { createRequire } from 'node:module';
import { build } from 'vite';

/**
 * `npm run bundle`: the compiled service of `dist` and every package it runs on, as a few files in `bundle`, so that an
 * installation needs no `node_modules` and starts in half the time. What a setting asks for (PostgreSQL, Redis, traces)
 * stays in files of its own, loaded on demand. V8's code for the rest is in `bundle/compile-cache`: it counts only for
 * the very Node.js, flags and kind of processor that this script ran with, and any other start compiles as it goes.
 */
const [from = 'dist', to = 'bundle'] = process.argv.slice(2);
const ENTRIES = {
  main: 'main.js',
  'sqlite-worker': 'storage/sqlite/sqlite-worker.js',
};
/** What Nest, Fastify and pg import if it is there. */
const EXTERNAL = [
  /^@nestjs\/(microservices|websockets|platform-(express|socket\.io))/,
  /^@fastify\/(static|view)$/,
  /^class-transformer/,
  'pg-native',
  /^partner-bff-playground/,
];
/** Never called, and would keep all of class-validator, telephone numbers included, in the bundle. */
const VALIDATION_PIPE = /@nestjs\/common\/pipes\/validation\.pipe\.js$/;
/** Reading any of these loads the WebSocket and fetch of Node.js, which the service does not use. */
const LAZY_IN_HTTP = ['WebSocket', 'CloseEvent', 'MessageEvent'];
const CHART = ['dist/uPlot.esm.js', 'dist/uPlot.min.css', 'LICENSE', 'package.json'];

await build({
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  plugins: [
    { name: 'no-validation-pipe', enforce: 'pre', resolveId: leaveOutOfPipe },
    { name: 'lean-http', enforce: 'pre', resolveId: resolveHttp, load: loadHttp },
    { name: 'ascii', renderChunk: (code) => ({ code: escapeNonAscii(code), map: null }) },
  ],
  resolve: { mainFields: ['module', 'main'] },
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: true,
    target: 'node24',
    outDir: to,
    emptyOutDir: true,
    sourcemap: true,
    minify: false,
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
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
await fillCompileCache();

function leaveOutOfPipe(id, importer) {
  return id === 'class-validator' && VALIDATION_PIPE.test(importer) ? { id, external: true } : undefined;
}

function resolveHttp(id) {
  return id === 'http' || id === 'node:http' ? '\0http' : undefined;
}

/** An import of `node:http` reads every export; this module reads only those that are there at once. */
function loadHttp(id) {
  if (id !== '\0http') return undefined;
  const names = Object.keys(http).filter((name) => /^\w+$/.test(name) && name !== 'default');
  const lines = names
    .filter((name) => !LAZY_IN_HTTP.includes(name))
    .map((name) => `export const ${name} = http.${name};`);
  return ["const http = process.getBuiltinModule('node:http');", 'export default http;', ...lines].join('\n');
}

/** V8 keeps a text with any other character as two bytes each. */
function escapeNonAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Starts the service, beside an upstream that is not there, and stops it: Node.js writes the cache at its end. */
async function fillCompileCache() {
  mkdirSync(`${to}/compile-cache`);
  const { config } = JSON.parse(readFileSync('package.json', 'utf8'));
  const flags = config.node.split(' ').filter((word) => word.startsWith('--'));
  const nowhere = 'http://127.0.0.1:9';
  const key = 'only-to-fill-the-compile-cache-000';
  const env = {
    UPSTREAM_URL: nowhere,
    ISSUER_TOKEN_URL: `${nowhere}/token`,
    PARTNER_CLIENT_ID: 'none',
    PARTNER_CLIENT_SECRET: key,
    END_USER_SECRET: key,
    END_USER_ISSUER: nowhere,
    END_USER_AUDIENCE: 'none',
    USER_ID_KEY: key,
    SEALING_KEY: key,
    DATA_DIR: ':memory:',
    HOST: '127.0.0.1',
    PORT: '0',
    OPS_PORT: '0',
    SHUTDOWN_DELAY_MS: '0',
  };
  const service = spawn(process.execPath, [...flags, `${to}/main.js`], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  service.stdout.on('data', (lines) => {
    log += lines;
    if (log.includes('"listening"')) service.kill('SIGTERM');
  });
  const [code] = await once(service, 'exit');
  if (code !== 0) throw new Error(`the bundled service does not start:\n${log}`);
}
