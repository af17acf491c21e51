import { byId, make } from './dom.js';
import { formatNumber, formatSeconds, formatShare, formatTime } from './format.js';
import { merge, total } from './samples.js';

/** @import { Sample } from './samples.js' */

/**
 * What `/readyz` answers.
 * @typedef {{ status: keyof typeof STATE_TEXT, checks: Record<string, { state: string, reason?: string }> }} Readiness
 */

const RECENT_SAMPLES = 30; // a minute
const STATE_TEXT = { ready: 'Ready', degraded: 'Degraded', 'not ready': 'Not ready', draining: 'Draining' };

/** The row of figures at the top, the state of the service, and its dependencies. */
export class Status {
  constructor() {
    this.token = { seconds: 0, at: 0, life: 1 };
    setInterval(() => this.countDown(), 1_000);
  }

  /** @param {{ replica: string, startedAt: number }} history */
  introduce({ replica, startedAt }) {
    byId('replica').textContent = `replica ${replica}, up since ${formatTime(startedAt)}`;
  }

  /** @param {Readiness} readiness */
  showReadiness({ status, checks }) {
    const pill = byId('state');
    pill.dataset.state = status;
    pill.textContent = STATE_TEXT[status];
    document.title = `${STATE_TEXT[status]}: Partner BFF operations`;
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
    const outcomes = merge(recent, 'outcomes');
    const sources = merge(recent, 'sources');
    const asked = total(outcomes);
    const issued = outcomes['issued'] ?? 0;
    const minutes = recent.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
    const refused = asked > 0 ? 1 - issued / asked : null;
    tile('issued', formatNumber(issued / minutes));
    tile('refused', formatShare(refused), refused !== null && refused > 0.5 ? 'warn' : '');
    tile('cache', formatShare(issued > 0 ? (sources['cache'] ?? 0) / issued : null));
    const slowest = recent.map(({ token }) => token.p95).filter((value) => value !== null);
    tile('latency', slowest.length > 0 ? `${formatNumber(Math.max(...slowest))} ms` : '–');
    this.showBacklog(last);
    this.token = {
      seconds: last.partnerTokenSeconds,
      at: Date.now(),
      life: Math.max(this.token.life, last.partnerTokenSeconds),
    };
    this.countDown();
  }

  /** @param {Sample} sample */
  showBacklog({ backlog, oldestPendingSeconds }) {
    const { pending = 0, failed = 0, dead = 0 } = backlog;
    const note = [...(failed > 0 ? [`${failed} failing`] : []), ...(dead > 0 ? [`${dead} dead`] : [])].join(
      ', ',
    );
    const tone = dead > 0 ? 'bad' : failed > 0 ? 'warn' : '';
    tile('backlog', formatNumber(pending + failed), tone, note);
    tile(
      'oldest',
      pending + failed > 0 ? formatSeconds(oldestPendingSeconds) : '–',
      oldestPendingSeconds > 600 ? 'warn' : '',
    );
  }

  countDown() {
    const left = Math.max(0, this.token.seconds - (Date.now() - this.token.at) / 1000);
    if (this.token.at === 0) return;
    const share = left / this.token.life;
    tile('token', left > 0 ? formatSeconds(left) : 'none', left === 0 ? 'bad' : share < 0.15 ? 'warn' : '');
    const meter = /** @type {HTMLElement} */ (byId('tile-token').querySelector('.meter span'));
    meter.style.transform = `scaleX(${share})`;
  }
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
