import { Chart } from './chart.js';
import { formatMs, formatNumber } from './format.js';
import { quantile } from './latency.js';
import { isFailure, isRefusal, total } from './samples.js';

/** @import { Sample } from './samples.js' */

/** The four charts of this process, over the same half hour and with one cursor. */
export class Charts {
  /** @param {readonly number[]} bucketsSeconds bounds of the buckets of a latency */
  constructor(bucketsSeconds) {
    /** @type {(kind: 'token' | 'graphql' | 'upstream') => (sample: Sample) => number | null} */
    const p95 = (kind) => (sample) => quantile(sample.latency[kind], bucketsSeconds, 0.95);
    this.plots = [
      new Chart('chart-tokens', { emptyText: 'No token requests.', format: formatNumber }, [
        ['From cache', '--chart-b', perMinute(({ sources }) => sources['cache'] ?? 0)],
        ['Minted', '--chart-a', perMinute(({ sources }) => sources['upstream'] ?? 0)],
        ['Refused', '--chart-c', perMinute(({ requests }) => total(requests.token, isRefusal))],
        ['Failed', '--chart-d', perMinute(({ requests }) => total(requests.token, isFailure))],
      ]),
      new Chart('chart-latency', { emptyText: 'No responses.', format: formatMs, isLog: true }, [
        ['Tokens', '--chart-b', p95('token')],
        ['Operations', '--chart-a', p95('graphql')],
        ['Upstream', '--chart-c', p95('upstream')],
      ]),
      new Chart('chart-failures', { emptyText: 'No failures.', format: formatNumber }, [
        ['Tokens', '--chart-b', perMinute(({ requests }) => total(requests.token, isFailure))],
        ['Operations', '--chart-a', perMinute(({ requests }) => total(requests.graphql, isFailure))],
        ['Webhooks', '--ink-soft', perMinute(({ requests }) => total(requests.webhook, isFailure))],
        ['Deliveries', '--chart-d', perMinute(({ deliveries }) => total(deliveries, isFailedDelivery))],
      ]),
      new Chart('chart-backlog', { emptyText: 'No waiting events.', format: formatNumber }, [
        ['Pending', '--chart-a', ({ backlog }) => backlog['pending'] ?? 0],
        ['Failed, retried', '--chart-c', ({ backlog }) => backlog['failed'] ?? 0],
        ['Dead', '--chart-d', ({ backlog }) => backlog['dead'] ?? 0],
      ]),
    ];
  }

  /**
   * Draws the samples of the last half hour.
   * @param {readonly Sample[]} samples
   */
  draw(samples) {
    for (const plot of this.plots) plot.draw(samples);
  }

  /** Draws again in the colours of the current theme. */
  repaint() {
    for (const { plot } of this.plots) plot.redraw();
  }
}

/**
 * @param {(sample: Sample) => number} count
 * @returns {(sample: Sample) => number}
 */
function perMinute(count) {
  return (sample) => (count(sample) * 60) / sample.seconds;
}

/** @param {string} outcome */
function isFailedDelivery(outcome) {
  return outcome === 'failed' || outcome === 'dead';
}
