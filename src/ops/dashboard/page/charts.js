import servedUPlot from '/dashboard/uplot.js';
import { byId, makeEmpty } from './dom.js';
import { formatMs, formatNumber, formatShare } from './format.js';
import { quantile } from './latency.js';
import { isFailure, isRefusal, merge, outcomeOf, total } from './samples.js';

/** @import { Counts, Kind, Sample } from './samples.js' */

/** @type {typeof import('uplot')} */
const uPlot = servedUPlot;

const POINT_MS = 10_000;
const WINDOW_MS = 30 * 60_000;
const HEIGHT = 180;
const NOT_STORED = ['unavailable', 'internal_error'];

/**
 * Ten seconds of samples together.
 * @typedef {object} Point
 * @property {number} time epoch milliseconds
 * @property {boolean} known whether there is a sample
 * @property {number} scale from a count to a rate per minute
 * @property {Record<Kind, Counts>} requests
 * @property {Counts} sources
 * @property {Counts} events
 * @property {Counts} deliveries
 * @property {Counts} webhooks
 * @property {Record<'token' | 'graphql' | 'upstream', Counts>} latency
 */

/**
 * A line of a chart; a value is null where there is nothing to show.
 * @typedef {[label: string, colour: string, read: (point: Point) => number | null]} Series
 */

/**
 * @typedef {object} ChartOptions
 * @property {string} emptyText shown when no line has anything to show
 * @property {(value: number | null) => string} format
 * @property {(value: number) => boolean} [shows] whether a value is worth a chart; a rate of zero is not
 */

/** The charts, over the same half hour and with one cursor. */
export class Charts {
  /** @param {readonly number[]} bucketsSeconds bounds of the buckets of a latency */
  constructor(bucketsSeconds) {
    /** @type {(kind: 'token' | 'graphql' | 'upstream', share: number) => (point: Point) => number | null} */
    const latency = (kind, share) => (point) => quantile(point.latency[kind], bucketsSeconds, share);
    this.plots = [
      ...requestCharts(),
      new Chart('chart-latency', { emptyText: 'No responses in the last half hour.', format: formatMs }, [
        ['Tokens, median', '--chart-b', latency('token', 0.5)],
        ['Tokens, 95th', '--chart-a', latency('token', 0.95)],
        ['GraphQL, 95th', '--chart-c', latency('graphql', 0.95)],
        ['Upstream, 95th', '--chart-d', latency('upstream', 0.95)],
      ]),
      new Chart(
        'chart-cache',
        {
          emptyText: 'No tokens were issued in the last half hour.',
          format: formatShare,
          shows: () => true, // no hit at all is a share too
        },
        [['Cache hits', '--chart-b', cacheShare]],
      ),
      new Chart('chart-webhooks', { emptyText: 'No webhooks in the last half hour.', format: formatNumber }, [
        ['Accepted', '--chart-b', (point) => perMinute(point, point.webhooks, named('accepted'))],
        [
          'Wrong signature',
          '--chart-d',
          (point) => perMinute(point, point.webhooks, named('invalid_signature')),
        ],
        ['Not stored', '--chart-a', (point) => perMinute(point, point.webhooks, named(...NOT_STORED))],
        ['Malformed', '--chart-c', (point) => perMinute(point, point.webhooks, isMalformed)],
      ]),
      new Chart('chart-events', { emptyText: 'No events in the last half hour.', format: formatNumber }, [
        ['Received', '--chart-a', (point) => perMinute(point, point.events, named('stored', 'reconciled'))],
        ['Delivered', '--chart-b', (point) => perMinute(point, point.deliveries, named('delivered'))],
        ['Failed', '--chart-d', (point) => perMinute(point, point.deliveries, named('failed', 'dead'))],
      ]),
    ];
  }

  /**
   * Draws the samples of the last half hour.
   * @param {readonly Sample[]} samples
   */
  draw(samples) {
    const points = toPoints(samples);
    for (const plot of this.plots) plot.draw(points);
  }

  /** Draws again in the colours of the current theme. */
  repaint() {
    for (const { plot } of this.plots) plot.redraw();
  }
}

/** The requests of end users, by outcome: one chart for each kind. */
function requestCharts() {
  return [
    new Chart(
      'chart-issuance',
      { emptyText: 'No token requests in the last half hour.', format: formatNumber },
      [
        ['From cache', '--chart-b', (point) => perMinute(point, point.sources, named('cache'))],
        ['Minted', '--chart-a', (point) => perMinute(point, point.sources, named('upstream'))],
        ...unserved('token'),
      ],
    ),
    new Chart(
      'chart-graphql',
      { emptyText: 'No GraphQL operations in the last half hour.', format: formatNumber },
      [
        ['Served', '--chart-b', (point) => perMinute(point, point.requests.graphql, named('ok'))],
        [
          'Answered with errors',
          '--chart-a',
          (point) => perMinute(point, point.requests.graphql, (name) => outcomeOf(name).answered === true),
        ],
        ...unserved('graphql'),
      ],
    ),
    new Chart(
      'chart-attachment',
      { emptyText: 'No downloads in the last half hour.', format: formatNumber },
      [
        ['Served', '--chart-b', (point) => perMinute(point, point.requests.attachment, named('ok'))],
        ...unserved('attachment'),
      ],
    ),
  ];
}

class Chart {
  /**
   * @param {string} id
   * @param {ChartOptions} options
   * @param {readonly Series[]} series
   */
  constructor(id, { emptyText, format, shows = (value) => value > 0 }, series) {
    this.element = byId(id);
    this.series = series;
    this.shows = shows;
    this.empty = makeEmpty(emptyText);
    this.plot = new uPlot(plotOptions(this.element, format, series), [[]], this.element);
    this.element.append(this.empty);
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  resize() {
    const width = this.element.clientWidth;
    if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
  }

  /** @param {readonly Point[]} points */
  draw(points) {
    const lines = this.series.map(([, , read]) => points.map(read));
    this.empty.hidden = lines.some((line) => line.some((value) => value !== null && this.shows(value)));
    this.plot.setData([points.map(({ time }) => time / 1000), ...lines]);
  }
}

/**
 * @param {HTMLElement} element
 * @param {(value: number | null) => string} format
 * @param {readonly Series[]} series
 * @returns {import('uplot').Options}
 */
function plotOptions(element, format, series) {
  return {
    width: element.clientWidth || 480,
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
        value: (/** @type {unknown} */ _plot, /** @type {number | null} */ value) =>
          value === null ? '–' : format(value),
      })),
    ],
  };
}

/**
 * Indexes of values without a neighbour: no line shows them, so a point must.
 * @param {import('uplot')} plot
 * @param {number} series
 */
function isolated(plot, series) {
  const values = [...(plot.data[series] ?? [])];
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

/** @param {string} name */
function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** @param {number} seconds */
function clock(seconds) {
  return new Date(seconds * 1000).toTimeString().slice(0, 5);
}

/**
 * Groups samples into points of ten seconds: smooth enough to read, fine enough to act on. The axis is always half an
 * hour.
 * @param {readonly Sample[]} samples
 */
function toPoints(samples) {
  const end = Math.ceil((samples.at(-1)?.time ?? Date.now()) / POINT_MS) * POINT_MS;
  /** @type {Map<number, Sample[]>} */
  const slots = new Map();
  for (const sample of samples) {
    const slot = Math.ceil(sample.time / POINT_MS) * POINT_MS;
    slots.set(slot, [...(slots.get(slot) ?? []), sample]);
  }
  /** @type {Point[]} */
  const points = [];
  for (let time = end - WINDOW_MS; time <= end; time += POINT_MS) {
    points.push(toPoint(time, slots.get(time) ?? []));
  }
  return points;
}

/**
 * @param {number} time
 * @param {readonly Sample[]} samples
 * @returns {Point}
 */
function toPoint(time, samples) {
  const seconds = samples.reduce((sum, sample) => sum + sample.seconds, 0);
  return {
    time,
    known: samples.length > 0,
    scale: seconds > 0 ? 60 / seconds : 0,
    requests: {
      token: merge(samples.map(({ requests }) => requests.token)),
      graphql: merge(samples.map(({ requests }) => requests.graphql)),
      attachment: merge(samples.map(({ requests }) => requests.attachment)),
    },
    sources: merge(samples.map(({ sources }) => sources)),
    events: merge(samples.map(({ events }) => events)),
    deliveries: merge(samples.map(({ deliveries }) => deliveries)),
    webhooks: merge(samples.map(({ webhooks }) => webhooks)),
    latency: {
      token: merge(samples.map(({ latency }) => latency.token)),
      graphql: merge(samples.map(({ latency }) => latency.graphql)),
      upstream: merge(samples.map(({ latency }) => latency.upstream)),
    },
  };
}

/**
 * The lines of requests that were not served: refused through the caller's fault, or failed through no fault of it.
 * @param {Kind} kind
 * @returns {Series[]}
 */
function unserved(kind) {
  return [
    ['Refused', '--chart-c', (point) => perMinute(point, point.requests[kind], isRefusal)],
    ['Failed', '--chart-d', (point) => perMinute(point, point.requests[kind], isFailure)],
  ];
}

/**
 * True if a webhook with this outcome was refused for what it is.
 * @param {string} outcome
 */
function isMalformed(outcome) {
  return !['accepted', 'cancelled', 'invalid_signature', ...NOT_STORED].includes(outcome);
}

/**
 * @param {...string} names
 * @returns {(name: string) => boolean}
 */
function named(...names) {
  return (name) => names.includes(name);
}

/**
 * @param {Point} point
 * @param {Counts} counts
 * @param {(name: string) => boolean} matches
 */
function perMinute(point, counts, matches) {
  return point.known ? total(counts, matches) * point.scale : null;
}

/** @param {Point} point */
function cacheShare({ sources }) {
  const all = total(sources);
  return all > 0 ? (sources['cache'] ?? 0) / all : null;
}
