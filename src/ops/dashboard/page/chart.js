import servedUPlot from '/dashboard/uplot.js';
import { byId, makeEmpty } from './dom.js';

/** @import { Point } from './charts.js' */

/** @type {typeof import('uplot')} */
const uPlot = servedUPlot;

const HEIGHT = 180;
const TIMES_HEIGHT = 28;
const MARK_LINES = 4; // marks that are close to one another
const DECADES_MS = [1, 10, 100, 1_000, 10_000, 100_000];

/**
 * A line of a chart; a value is null where there is nothing to show.
 * @typedef {[label: string, colour: string, read: (point: Point) => number | null]} Series
 */

/**
 * @typedef {object} ChartOptions
 * @property {string} emptyText shown when no line has anything to show
 * @property {(value: number | null) => string} format
 * @property {boolean} [isLog] true for a logarithmic scale
 * @property {(value: number) => boolean} [shows] whether a value is worth a chart; a rate of zero is not
 */

/**
 * A moment, epoch milliseconds, and what happened then.
 * @typedef {{ time: number, text: string }} Mark
 */

/** Lines over the last half hour, drawn by uPlot. */
export class Chart {
  /**
   * @param {string} id
   * @param {ChartOptions} options
   * @param {readonly Series[]} series
   */
  constructor(id, options, series) {
    const { emptyText, shows = (value) => value > 0 } = options;
    /** @type {readonly Mark[]} */
    this.marks = [];
    this.element = byId(id);
    this.series = series;
    this.shows = shows;
    this.empty = makeEmpty(emptyText);
    this.plot = new uPlot(
      {
        ...plotOptions(this.element, options, series),
        hooks: { draw: [(plot) => drawMarks(plot, this.marks)] },
      },
      [[]],
      this.element,
    );
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
      y: isLog
        ? {
            distr: 3,
            range: (_plot, _low, high) => [1, 10 ** Math.ceil(Math.log10(Math.max(high ?? 0, 1_000)))],
          }
        : { range: (_plot, _low, high) => [0, Math.max(high ?? 0, 1) * 1.05] },
    },
    axes: [
      { ...axis(), values: (_plot, ticks) => ticks.map(clock), space: 90, size: TIMES_HEIGHT },
      {
        ...axis(),
        values: (_plot, ticks) => ticks.map(format),
        size: 62,
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
 * @param {import('uplot')} plot
 * @param {readonly Mark[]} marks
 */
function drawMarks(plot, marks) {
  const { ctx, bbox, scales } = plot;
  const { min = 0, max = 0 } = scales['x'] ?? {};
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = css('--ink-soft');
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'right';
  ctx.setLineDash([4, 4]);
  const lineHeight = 12 * devicePixelRatio;
  for (const [index, { time, text }] of marks.entries()) {
    if (time / 1000 < (min ?? 0) || time / 1000 > (max ?? 0)) continue;
    const x = plot.valToPos(time / 1000, 'x', true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(text, x - 4, bbox.top + lineHeight * (1 + (index % MARK_LINES)));
  }
  ctx.restore();
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
