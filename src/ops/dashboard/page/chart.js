import servedUPlot from '/dashboard/uplot.js';
import { byId, makeEmpty } from './dom.js';

/** @import { Sample } from './samples.js' */

/** @type {typeof import('uplot')} */
const uPlot = servedUPlot;

const HEIGHT = 180;
const TIMES_HEIGHT = 28;
const WINDOW_SECONDS = 1_800;
const WHOLE_STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
  1_000_000,
];
const TOP_MIN = 4;
const DECADES_MS = [1, 10, 100, 1_000, 10_000, 100_000];

/**
 * A line of a chart; a value is null where there is nothing to show.
 * @typedef {[label: string, colour: string, read: (sample: Sample) => number | null]} Series
 */

/**
 * @typedef {object} ChartOptions
 * @property {string} emptyText shown when no line has anything to show
 * @property {(value: number | null) => string} format
 * @property {boolean} [isLog] true for a logarithmic scale
 */

/** Lines over the last half hour, drawn by uPlot. */
export class Chart {
  /**
   * @param {string} id
   * @param {ChartOptions} options
   * @param {readonly Series[]} series
   */
  constructor(id, options, series) {
    this.element = byId(id);
    this.series = series;
    this.emptyText = options.emptyText;
    this.empty = makeEmpty('');
    this.plot = new uPlot(plotOptions(this.element, options, series), [[]], this.element);
    this.element.append(this.empty);
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  resize() {
    const width = this.element.clientWidth;
    if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
  }

  /** @param {readonly Sample[]} samples */
  draw(samples) {
    const lines = this.series.map(([, , read]) => samples.map(read));
    this.empty.textContent = samples.length > 0 ? this.emptyText : 'No figures yet.';
    this.empty.hidden = lines.some((line) => line.some((value) => (value ?? 0) > 0));
    this.plot.root.hidden = !this.empty.hidden; // a chart of nothing is one line of text
    this.plot.setData([samples.map(({ time }) => time / 1000), ...lines]);
  }
}

/**
 * @param {HTMLElement} element
 * @param {ChartOptions} options
 * @param {readonly Series[]} series
 * @returns {import('uplot').Options}
 */
function plotOptions(element, { format, isLog = false }, series) {
  return {
    width: element.clientWidth || 480,
    height: HEIGHT,
    cursor: { sync: { key: 'half-hour' }, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { range: (_plot, _low, high) => [(high ?? 0) - WINDOW_SECONDS, high ?? 0] },
      y: isLog
        ? {
            distr: 3,
            range: (_plot, _low, high) => [1, 10 ** Math.ceil(Math.log10(Math.max(high ?? 0, 1_000)))],
          }
        : { range: (_plot, _low, high) => [0, Math.max((high ?? 0) * 1.05, TOP_MIN)] },
    },
    axes: [
      { ...axis(), values: (_plot, ticks) => ticks.map(clock), space: 90, gap: 10, size: TIMES_HEIGHT },
      {
        ...axis(),
        values: (_plot, ticks) => ticks.map(format),
        size: 56,
        incrs: WHOLE_STEPS,
        ...(isLog && {
          filter: (_plot, ticks) => ticks,
          splits: (plot) => DECADES_MS.filter((ms) => ms <= (plot.scales['y']?.max ?? 0)),
        }),
      },
    ],
    series: [
      { label: 'Time', value: (_plot, time) => (time === null ? '' : clock(time)) },
      ...series.map(([label, colour]) => ({
        label,
        stroke: () => css(colour),
        ...(isLog ? {} : { fill: () => css(colour, 12) }),
        width: 1.75,
        spanGaps: false,
        points: { show: true, size: 5, filter: isolated },
        value: (/** @type {unknown} */ _plot, /** @type {number | null} */ value) =>
          value === null ? '' : format(value),
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

const probe = document.createElement('i');

/**
 * The colour of a custom property in the theme that is in effect.
 * @param {string} name
 */
function css(name, share = 100) {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `color-mix(in srgb, var(${name}) ${share}%, transparent)`;
  return getComputedStyle(probe).color;
}

/** @param {number} seconds */
function clock(seconds) {
  return new Date(seconds * 1000).toTimeString().slice(0, 5);
}
