import { byId, make, makeTable } from './dom.js';
import { formatSeconds, formatTime, shortId } from './format.js';
import { nameOfState } from './status.js';

/**
 * A process of the service, or several workers of one start. Times are epoch milliseconds.
 * @typedef {{ id: string, name: string, version: string, startedAt: number, seenAt: number, state: string, isSelf: boolean }} Replica
 */

/** The replicas that share the database, and the choice whose figures are shown; hidden where there is one. */
export class Replicas {
  /** @param {(which: string) => void} onChoose called with the id of a replica, or `all` */
  constructor(onChoose) {
    this.select = /** @type {HTMLSelectElement} */ (byId('replica-choice'));
    this.select.addEventListener('change', () => onChoose(this.select.value));
    this.offered = '';
    this.shown = '';
  }

  /** @param {readonly Replica[]} replicas */
  show(replicas) {
    byId('replicas').hidden = replicas.length < 2;
    this.offer(replicas);
    const serving = replicas.filter(({ state }) => state !== 'gone');
    byId('replicas-versions').hidden = new Set(serving.map(({ version }) => version)).size < 2;
    /** @type {import('./dom.js').Column<Replica>[]} */
    const columns = [
      { title: 'Replica', cell: (replica) => `${replica.name}${replica.isSelf ? ' (this one)' : ''}` },
      {
        title: 'State',
        cell: ({ state }) => make('span', { className: 'badge', data: { state } }, nameOfState(state)),
      },
      { title: 'Version', kind: 'mono', cell: ({ version }) => version },
      { title: 'Started', cell: age },
    ];
    byId('replicas-list').replaceChildren(makeTable(columns, replicas));
    this.nameShown(replicas);
  }

  /**
   * What the figures are of, in words.
   * @param {string} shown the id of a replica, or `all`
   * @param {readonly Replica[]} replicas
   */
  choose(shown, replicas) {
    this.offer(replicas);
    this.shown = shown;
    this.select.value = shown;
    this.show(replicas);
  }

  /** Figures of one that is gone are its last ones, which is said and seen. @param {readonly Replica[]} replicas */
  nameShown(replicas) {
    const one = replicas.find(({ id, isSelf }) => id === this.shown && !isSelf);
    const name = this.shown === 'all' ? 'all replicas' : one ? `replica ${one.name}` : 'this replica';
    const isGone = one?.state === 'gone';
    const text = isGone ? `${name}: last figures, of ${formatTime(one.seenAt)}` : name;
    for (const element of document.querySelectorAll('.shown')) element.textContent = text;
    byId('overview').classList.toggle('past', isGone);
  }

  /** An open list of choices is left alone while nothing changes. @param {readonly Replica[]} replicas */
  offer(replicas) {
    const names = replicas.map(({ name }) => name);
    const options = replicas.map(({ id, name }) => ({
      value: id,
      text: names.filter((one) => one === name).length > 1 ? `${name}, ${shortId(id)}` : name,
    }));
    const key = JSON.stringify(options);
    if (key === this.offered) return;
    this.offered = key;
    const { value } = this.select;
    const all = { value: 'all', text: 'all replicas' };
    this.select.replaceChildren(...[all, ...options].map((option) => make('option', option)));
    this.select.value = value;
  }
}

/** @param {Replica} replica */
function age({ startedAt, seenAt, state }) {
  const ago = (/** @type {number} */ time) => `${formatSeconds((Date.now() - time) / 1000)} ago`;
  return state === 'gone' ? `${ago(startedAt)}, last seen ${ago(seenAt)}` : ago(startedAt);
}
