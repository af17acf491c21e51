import { byId, make } from './dom.js';
import { formatMs, formatNumber, formatSeconds, formatShare, formatTime } from './format.js';
import { quantile } from './latency.js';
import { isFailure, isRefusal, KINDS, merge, total } from './samples.js';

/** @import { Counts, Kind, Sample } from './samples.js' */

/**
 * The answer of `/readyz`.
 * @typedef {{ status: string, checks: Record<string, { state: string, reason?: string }> }} Readiness
 */

const RECENT_SAMPLES = 6; // a minute
const RENEWED_SHARE = 0.08; // a renewal in time begins at a tenth of the life at the latest
const STATE_TEXT = {
  ready: 'Ready',
  degraded: 'Degraded',
  'not ready': 'Not ready',
  draining: 'Draining',
};

/** The row of figures at the top, the state of the service, and its dependencies. */
export class Status {
  constructor() {
    this.token = { seconds: 0, at: 0, life: 0 };
    /** @type {readonly number[]} */
    this.bucketsSeconds = [];
    this.isStoreDown = false;
    this.dependencies = '';
    setInterval(() => this.countDown(), 1_000);
  }

  /** @param {{ replica: string, startedAt: number, version: string, bucketsSeconds: readonly number[], readiness: Readiness, samples: readonly Sample[] }} figures */
  show({ replica, startedAt, version, bucketsSeconds, readiness: { status, checks }, samples }) {
    this.bucketsSeconds = bucketsSeconds;
    this.isStoreDown = checks['database']?.state === 'down';
    byId('replica').textContent = `replica ${replica}, version ${version}, up since ${formatTime(startedAt)}`;
    const text = STATE_TEXT[/** @type {keyof typeof STATE_TEXT} */ (status)] ?? status;
    Object.assign(byId('state'), { textContent: text }).dataset.state = status;
    document.title = `${text}: Partner BFF operations`;
    this.showDependencies(checks);
    this.showSamples(samples);
  }

  /** @param {Readiness['checks']} checks */
  showDependencies(checks) {
    const key = JSON.stringify(checks);
    if (key === this.dependencies) return;
    this.dependencies = key;
    byId('dependencies').replaceChildren(
      ...Object.entries(checks).map(([name, { state, reason }]) =>
        make(
          'li',
          {},
          make('span', {}, name.replaceAll('-', ' ')),
          make('span', { className: 'badge', data: { state } }, state),
          reason ? make('small', {}, reason) : null,
        ),
      ),
    );
  }

  showInterrupted() {
    const pill = byId('state');
    pill.dataset.state = 'unknown';
    pill.textContent = 'No connection';
  }

  /** @param {readonly Sample[]} samples */
  showSamples(samples) {
    const recent = samples.slice(-RECENT_SAMPLES);
    const last = recent.at(-1);
    if (!last) return;
    const kinds = /** @type {Kind[]} */ (Object.keys(KINDS));
    const requests = Object.fromEntries(
      kinds.map((kind) => [kind, merge(recent.map((sample) => sample.requests[kind]))]),
    );
    const issued = requests['token']?.['issued'] ?? 0;
    const minutes = recent.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
    tile('issued', formatNumber(issued / minutes));
    showShare('failed', requests, isFailure, 'bad');
    showShare('refused', requests, isRefusal, 'warn');
    const sources = merge(recent.map((sample) => sample.sources));
    tile('cache', formatShare(issued > 0 ? (sources['cache'] ?? 0) / issued : null));
    this.showLatency(recent);
    this.showBacklog(last);
    this.token = {
      seconds: last.partnerTokenSeconds,
      at: Date.now(),
      life: last.partnerTokenLifeSeconds,
    };
    this.countDown();
  }

  /** @param {readonly Sample[]} recent */
  showLatency(recent) {
    /** @param {'token' | 'graphql' | 'upstream'} kind */
    const p95 = (kind) =>
      quantile(merge(recent.map(({ latency }) => latency[kind])), this.bucketsSeconds, 0.95);
    tile('latency', formatMs(p95('token')));
    tile('graphql-latency', formatMs(p95('graphql')), '', `upstream ${formatMs(p95('upstream'))}`);
  }

  /** While the database is down nothing is known of the backlog. @param {Sample} sample */
  showBacklog({ backlog, oldestPendingSeconds }) {
    if (this.isStoreDown) {
      for (const name of ['backlog', 'dead', 'oldest']) tile(name, '–', '', 'unknown');
      return;
    }
    const { pending = 0, failed = 0, dead = 0 } = backlog;
    tile(
      'backlog',
      formatNumber(pending + failed),
      failed > 0 ? 'warn' : '',
      failed > 0 ? `${failed} failing` : '',
    );
    tile('dead', formatNumber(dead), dead > 0 ? 'bad' : '');
    tile('oldest', pending + failed > 0 ? formatSeconds(oldestPendingSeconds) : '–');
  }

  countDown() {
    const left = Math.max(0, this.token.seconds - (Date.now() - this.token.at) / 1000);
    if (this.token.at === 0) return;
    const share = this.token.life > 0 ? Math.min(1, left / this.token.life) : 0;
    tile(
      'token',
      left > 0 ? formatSeconds(left) : 'none',
      left === 0 ? 'bad' : share < RENEWED_SHARE ? 'warn' : '',
    );
    byId('token-life').textContent =
      this.token.life > 0 ? `left of ${formatSeconds(this.token.life)}` : 'the issuer gives none';
    const meter = /** @type {HTMLElement} */ (byId('tile-token').querySelector('.meter span'));
    meter.style.transform = `scaleX(${share})`;
  }
}

/**
 * How many requests of the last minute had such an outcome, of all kinds that were asked for.
 * @param {string} name of the tile
 * @param {Record<string, Counts>} requests by kind
 * @param {(outcome: string) => boolean} matches
 * @param {string} tone of a tile that is not zero
 */
function showShare(name, requests, matches, tone) {
  const all = Object.values(requests).reduce((sum, counts) => sum + total(counts), 0);
  const some = Object.values(requests).reduce((sum, counts) => sum + total(counts, matches), 0);
  const value = all > 0 ? formatShare(some / all) : '–';
  tile(name, value, some > 0 ? tone : '', all > 0 ? `${formatNumber(some)} of ${formatNumber(all)}` : '');
}

/**
 * @param {string} name
 * @param {string} value
 */
function tile(name, value, tone = '', note = '') {
  const element = byId(`tile-${name}`);
  element.dataset.tone = tone;
  element.querySelector('dd')?.replaceChildren(value, note ? make('small', {}, ` ${note}`) : '');
}
