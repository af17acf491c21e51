import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A file of the dashboard, whole in memory. */
export interface DashboardFile {
  readonly type: string;
  readonly body: Buffer;
}

const PAGE_FILES = [
  'index.html',
  'icon.svg',
  'dashboard.css',
  'main.js',
  'addresses.js',
  'attempts.js',
  'audit.js',
  'chart.js',
  'charts.js',
  'conditions.js',
  'dom.js',
  'event.js',
  'events.js',
  'format.js',
  'hirer-search.js',
  'hirers.js',
  'latency.js',
  'redelivery.js',
  'relationships.js',
  'samples.js',
  'session.js',
  'status.js',
];
const CHART_FILES = { 'uplot.js': 'uplot/dist/uPlot.esm.js', 'uplot.css': 'uplot/dist/uPlot.min.css' };
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Every file of the page by name; no other can be requested. The chart library comes from its package. */
export function readDashboardFiles(): ReadonlyMap<string, DashboardFile> {
  const require = createRequire(import.meta.url);
  const own = PAGE_FILES.map((name) => [name, new URL(`./page/${name}`, import.meta.url)] as const);
  const charts = Object.entries(CHART_FILES).map(([name, path]) => [name, require.resolve(path)] as const);
  return new Map(
    [...own, ...charts].map(([name, path]) => [
      name,
      { type: TYPES[name.split('.')[1]!]!, body: readFileSync(path) },
    ]),
  );
}
