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
  'filtered-list.js',
  'format.js',
  'hirer-search.js',
  'hirers.js',
  'latency.js',
  'memberships.js',
  'redelivery.js',
  'relationships.js',
  'samples.js',
  'session.js',
  'status.js',
  'table.js',
];
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * Every file of the page by name; no other can be requested. The chart library comes from its package, and so do the styles
 * before ours.
 */
export function readDashboardFiles(): ReadonlyMap<string, DashboardFile> {
  const require = createRequire(import.meta.url);
  const ofCharts = (name: string): Buffer => readFileSync(require.resolve(`uplot/dist/${name}`));
  const own = PAGE_FILES.map(
    (name) => [name, readFileSync(new URL(`./page/${name}`, import.meta.url))] as const,
  );
  const bodies = new Map([...own, ['uplot.js', ofCharts('uPlot.esm.js')]]);
  bodies.set('dashboard.css', Buffer.concat([ofCharts('uPlot.min.css'), bodies.get('dashboard.css')!]));
  return new Map([...bodies].map(([name, body]) => [name, { type: TYPES[name.split('.')[1]!]!, body }]));
}
