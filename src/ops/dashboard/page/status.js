import { byId, make } from './dom.js';
import { formatMs, formatNumber, formatSeconds, formatTime } from './format.js';
import { quantile } from './latency.js';
import { isFailure, isRefusal, merge, total } from './samples.js';

/** @import { ConditionView } from '../../../telemetry/conditions/conditions.js' */
/** @import { Sample } from './samples.js' */

/**
 * The answer of `/readyz`.
 * @typedef {{ status: string, checks: Record<string, { state: string, reason?: string }> }} Readiness
 */

const RECENT_SAMPLES = 6; // a minute

/** The row of figures at the top, the state of the service, and its dependencies. */
export class Status {
  constructor() {
    this.token = { seconds: 0, at: 0 };
    /** @type {readonly number[]} */
    this.bucketsSeconds = [];
    this.isStoreDown = false;
    this.dependencies = '';
    setInterval(() => this.countDown(), 1_000);
  }

  /** @param {{ replica: string, startedAt: number, version: string, bucketsSeconds: readonly number[], readiness: Readiness, conditions: readonly ConditionView[], samples: readonly Sample[] }} figures */
  show({ replica, startedAt, version, bucketsSeconds, readiness: { status, checks }, conditions, samples }) {
    this.bucketsSeconds = bucketsSeconds;
    this.isStoreDown = checks['database']?.state === 'down';
    byId('replica').textContent = `${replica}, version ${version}, up since ${formatTime(startedAt)}`;
    const { text, tone } = stateOf(status, conditions);
    Object.assign(byId('state'), { textContent: text }).dataset['tone'] = tone;
    document.title = `${text}: Partner BFF operations`;
    this.showDependencies(checks);
    this.showSamples(samples);
    if (conditions.some(({ name, active }) => active && name === 'partner-token-missing')) {
      this.token.seconds = 0; // near its end it is handed out no more
    }
    this.countDown();
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
    Object.assign(byId('state'), { textContent: 'No connection' }).dataset['tone'] = 'bad';
  }

  /** @param {readonly Sample[]} samples */
  showSamples(samples) {
    const recent = samples.slice(-RECENT_SAMPLES);
    const last = recent.at(-1);
    if (!last) return;
    const requests = merge(recent.flatMap((sample) => Object.values(sample.requests)));
    const [all, failed, refused] = [total(requests), total(requests, isFailure), total(requests, isRefusal)];
    const note = all > 0 ? `of ${formatNumber(all)}, ${formatNumber(refused)} refused` : '';
    tile('failed', formatNumber(failed), failed > 0 ? 'bad' : '', note);
    this.showLatency(recent);
    this.showBacklog(last);
    this.token = { seconds: last.partnerTokenSeconds, at: Date.now() };
  }

  /** @param {readonly Sample[]} recent */
  showLatency(recent) {
    /** @param {'token' | 'graphql' | 'upstream'} kind */
    const p95 = (kind) =>
      quantile(merge(recent.map(({ latency }) => latency[kind])), this.bucketsSeconds, 0.95);
    const others = `upstream ${formatMs(p95('upstream'))}, tokens ${formatMs(p95('token'))}`;
    tile('latency', formatMs(p95('graphql')), '', others);
  }

  /** While the database is down nothing is known of the backlog. @param {Sample} sample */
  showBacklog({ backlog, oldestPendingSeconds }) {
    if (this.isStoreDown) {
      for (const name of ['backlog', 'dead']) tile(name, '–', '', 'unknown');
      return;
    }
    const { pending = 0, failed = 0, dead = 0 } = backlog;
    const oldest = `oldest ${formatSeconds(oldestPendingSeconds)}${failed > 0 ? `, ${failed} failing` : ''}`;
    const isWaiting = pending + failed > 0;
    tile('backlog', formatNumber(pending + failed), failed > 0 ? 'warn' : '', isWaiting ? oldest : '');
    tile('dead', formatNumber(dead), dead > 0 ? 'bad' : '');
  }

  countDown() {
    const left = Math.max(0, this.token.seconds - (Date.now() - this.token.at) / 1000);
    if (this.token.at === 0) return;
    tile('token', left > 0 ? formatSeconds(left) : 'none', left === 0 ? 'bad' : '');
  }
}

/**
 * The state in a word: a replica that is ready is not well while a condition is active.
 * @param {string} status of `/readyz`
 * @param {readonly ConditionView[]} conditions
 */
function stateOf(status, conditions) {
  const active = conditions.filter((one) => one.active);
  if (status === 'not ready') return { text: 'Not ready', tone: 'bad' };
  if (status === 'draining') return { text: 'Draining', tone: 'warn' };
  if (active.some(({ severity }) => severity === 'page')) return { text: 'Failing', tone: 'bad' };
  return active.length > 0 ? { text: 'Degraded', tone: 'warn' } : { text: 'Ready', tone: 'good' };
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
