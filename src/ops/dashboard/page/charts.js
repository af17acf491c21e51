import uPlot from '/dashboard/uplot.js';
import { byId, makeEmpty } from './dom.js';
import { formatNumber, formatShare } from './format.js';

const POINT_MS = 10_000;
const WINDOW_MS = 30 * 60_000;
const HEIGHT = 180;
/** Outcomes that mean a fault of somebody's, rather than a request that had to be refused. */
export const FAILURES = ['internal_error', 'upstream_error', 'unavailable', 'upstream_timeout'];

/** The four charts, over the same half hour and with one cursor. */
export class Charts {
  constructor() {
    this.plots = [
      new Chart('chart-issuance', 'No token requests in the last half hour.', formatNumber, [
        ['From cache', '--chart-b', (point) => perMinute(point, 'sources', ['cache'])],
        ['Minted', '--chart-a', (point) => perMinute(point, 'sources', ['upstream'])],
        [
          'Refused',
          '--chart-c',
          (point) => (point.known ? total(point.outcomes, isRefusal) * point.scale : null),
        ],
        ['Failed', '--chart-d', (point) => perMinute(point, 'outcomes', FAILURES)],
      ]),
      new Chart('chart-latency', 'No answers in the last half hour.', (ms) => `${formatNumber(ms)} ms`, [
        ['Tokens, median', '--chart-b', (point) => point.token.p50],
        ['Tokens, 95th', '--chart-a', (point) => point.token.p95],
        ['GraphQL, 95th', '--chart-c', (point) => point.graphql.p95],
      ]),
      new Chart('chart-cache', 'No tokens were issued in the last half hour.', formatShare, [
        ['Cache hits', '--chart-b', (point) => cacheShare(point)],
      ]),
      new Chart('chart-events', 'No events in the last half hour.', formatNumber, [
        ['Received', '--chart-a', (point) => perMinute(point, 'events', ['stored', 'reconciled'])],
        ['Delivered', '--chart-b', (point) => perMinute(point, 'deliveries', ['delivered'])],
        ['Failed', '--chart-d', (point) => perMinute(point, 'deliveries', ['failed', 'dead'])],
      ]),
    ];
  }

  /** Draws the samples of the last half hour. */
  draw(samples) {
    const points = toPoints(samples);
    for (const plot of this.plots) plot.draw(points);
  }

  /** Draws again in the colours of the present theme. */
  repaint() {
    for (const { plot } of this.plots) plot.redraw();
  }
}

class Chart {
  constructor(id, emptyText, format, series) {
    this.element = byId(id);
    this.series = series;
    this.empty = makeEmpty(emptyText);
    this.plot = new uPlot(
      {
        width: this.element.clientWidth || 480,
        height: HEIGHT,
        cursor: { sync: { key: 'half-hour' }, drag: { x: false, y: false }, points: { size: 6 } },
        scales: {
          y: {
            range: (_plot, _low, high) => [0, Math.max(high ?? 0, 1) * 1.05],
          },
        },
        axes: [
          { ...axis(), values: (_plot, ticks) => ticks.map(clock), space: 90 },
          { ...axis(), values: (_plot, ticks) => ticks.map(format), size: 62 },
        ],
        series: [
          { label: 'Time', value: (_plot, time) => (time === null ? '–' : clock(time)) },
          ...series.map(([label, colour]) => ({
            label,
            stroke: () => css(colour),
            fill: () => `${css(colour)}1f`,
            width: 1.75,
            spanGaps: false,
            points: { show: true, size: 5, filter: isolated },
            value: (_plot, value) => (value === null ? '–' : format(value)),
          })),
        ],
      },
      [[], ...series.map(() => [])],
      this.element,
    );
    this.element.append(this.empty);
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  resize() {
    const width = this.element.clientWidth;
    if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
  }

  draw(points) {
    const lines = this.series.map(([, , read]) => points.map(read));
    this.empty.hidden = lines.some((line) => line.some((value) => value > 0));
    this.plot.setData([points.map(({ time }) => time / 1000), ...lines]);
  }
}

/** Indexes of values without a neighbour: no line shows them, so a point must. */
function isolated(plot, series) {
  const values = plot.data[series];
  return values.flatMap((value, index) =>
    value !== null && values[index - 1] == null && values[index + 1] == null ? [index] : [],
  );
}

function axis() {
  const line = { stroke: () => css('--line'), width: 1 };
  return {
    stroke: () => css('--ink-soft'),
    font: '12px system-ui, sans-serif',
    grid: line,
    ticks: { show: false },
  };
}

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function clock(seconds) {
  return new Date(seconds * 1000).toTimeString().slice(0, 5);
}

/** Samples of ten seconds together: smooth enough to read, fine enough to act on. The axis is always half an hour. */
function toPoints(samples) {
  const end = Math.ceil((samples.at(-1)?.time ?? Date.now()) / POINT_MS) * POINT_MS;
  const slots = new Map();
  for (const sample of samples) {
    const slot = Math.ceil(sample.time / POINT_MS) * POINT_MS;
    slots.set(slot, [...(slots.get(slot) ?? []), sample]);
  }
  const points = [];
  for (let time = end - WINDOW_MS; time <= end; time += POINT_MS)
    points.push(toPoint(time, slots.get(time) ?? []));
  return points;
}

function toPoint(time, samples) {
  const seconds = samples.reduce((sum, sample) => sum + sample.seconds, 0);
  const quantile = (route, name) => {
    const values = samples.map((sample) => sample[route][name]).filter((value) => value !== null);
    return values.length > 0 ? Math.max(...values) : null;
  };
  const quantiles = (route) => ({ p50: quantile(route, 'p50'), p95: quantile(route, 'p95') });
  return {
    time,
    known: samples.length > 0,
    scale: seconds > 0 ? 60 / seconds : 0,
    outcomes: merge(samples, 'outcomes'),
    sources: merge(samples, 'sources'),
    events: merge(samples, 'events'),
    deliveries: merge(samples, 'deliveries'),
    token: quantiles('token'),
    graphql: quantiles('graphql'),
  };
}

/** The counts of several samples added up. */
export function merge(samples, name) {
  const sums = {};
  for (const sample of samples) {
    for (const [key, count] of Object.entries(sample[name])) sums[key] = (sums[key] ?? 0) + count;
  }
  return sums;
}

/** The sum of the counts whose name fits. */
export function total(counts, fits = () => true) {
  return Object.entries(counts).reduce((sum, [name, count]) => sum + (fits(name) ? count : 0), 0);
}

function perMinute(point, name, keys) {
  return point.known ? total(point[name], (key) => keys.includes(key)) * point.scale : null;
}

function cacheShare({ sources }) {
  const all = total(sources);
  return all > 0 ? (sources.cache ?? 0) / all : null;
}

function isRefusal(outcome) {
  return outcome !== 'issued' && !FAILURES.includes(outcome);
}
