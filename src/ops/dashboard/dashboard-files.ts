import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';

/** A file of the dashboard, whole in memory. */
interface DashboardFile {
  readonly type: string;
  readonly body: Buffer;
}

const PAGE = new URL('./page/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Every file of the page by name; no other can be requested. The chart library comes from its package, and so do the styles
 * before ours.
 */
export function readDashboardFiles(): ReadonlyMap<string, DashboardFile> {
  const require = createRequire(import.meta.url);
  const ofCharts = (name: string): Buffer => readFileSync(require.resolve(`uplot/dist/${name}`));
  const names = readdirSync(PAGE).filter((name) => extname(name) in TYPES); // source maps stand beside them
  const bodies = new Map<string, Buffer>(names.map((name) => [name, readFileSync(new URL(name, PAGE))]));
  bodies.set('uplot.js', ofCharts('uPlot.esm.js'));
  bodies.set('dashboard.css', Buffer.concat([ofCharts('uPlot.min.css'), bodies.get('dashboard.css')!]));
  return new Map([...bodies].map(([name, body]) => [name, { type: TYPES[extname(name)]!, body }]));
}
