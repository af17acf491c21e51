import { Chart } from './chart.js';
import { formatMs, formatNumber, formatShare } from './format.js';
import { quantile } from './latency.js';
import { isFailure, isRefusal, merge, total } from './samples.js';

/** @import { Mark, Series } from './chart.js' */
/** @import { Counts, Kind, Sample } from './samples.js' */

const POINT_MS = 10_000;
const WINDOW_MS = 30 * 60_000;
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

/** The charts, over the same half hour and with one cursor. */
export class Charts {
  /** @param {readonly number[]} bucketsSeconds bounds of the buckets of a latency */
  constructor(bucketsSeconds) {
    /** @type {(kind: 'token' | 'graphql' | 'upstream', share: number) => (point: Point) => number | null} */
    const latency = (kind, share) => (point) => quantile(point.latency[kind], bucketsSeconds, share);
    this.plots = [
      ...requestCharts(),
      new Chart(
        'chart-latency',
        { emptyText: 'No responses in the last half hour.', format: formatMs, isLog: true },
        [
          ['Tokens', '--chart-a', latency('token', 0.95)],
          ['their median', '--chart-b', latency('token', 0.5)],
          ['GraphQL', '--chart-c', latency('graphql', 0.95)],
          ['Upstream', '--chart-d', latency('upstream', 0.95)],
        ],
      ),
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
          'Bad signature',
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

  /**
   * Marks moments in every chart by a line, from the next drawing on.
   * @param {readonly Mark[]} marks
   */
  mark(marks) {
    for (const chart of this.plots) chart.marks = marks;
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
        ['With errors', '--chart-a', (point) => perMinute(point, point.requests.graphql, named('errors'))],
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
