import { byId, filledIn, formById, make, say, textOf } from './dom.js';
import { FilteredList } from './filtered-list.js';
import { formatTime } from './format.js';
import { hirerCell } from './hirers.js';
import { request } from './session.js';

/** @import { MembershipRecord } from '../../../hirer-access/sources/sql-memberships.js' */

/**
 * Who belongs to which hirer: members are added and removed.
 * @extends {FilteredList<MembershipRecord>}
 */
export class Memberships extends FilteredList {
  constructor() {
    super('memberships', '/memberships?', 'memberships', [
      { title: 'User', kind: 'wrap', cell: ({ user }) => user },
      { title: 'Hirer', cell: ({ hirerId }) => hirerCell(hirerId, 'memberships') },
      { title: 'Roles', cell: ({ roles }) => roles.join(' ') },
      { title: 'Changed', cell: ({ updatedAt }) => formatTime(updatedAt) },
      { title: 'Remove', cell: (record) => this.removeButton(record) },
    ]);
    this.addition = formById('membership-add');
    this.addition.addEventListener('submit', (submit) => {
      submit.preventDefault();
      void this.add();
    });
  }

  async add() {
    const { user = '', hirer = '', roles = '' } = filledIn(this.addition);
    try {
      const named = roles.split(/[\s,]+/).filter(Boolean);
      const body = named.length > 0 ? { body: JSON.stringify({ roles: named }) } : {};
      await request(routeOf(user, hirer), { method: 'PUT', ...body });
      this.addition.reset();
      say('The membership is granted.');
      await this.load();
    } catch (error) {
      say(textOf(error));
    }
  }

  /** @param {MembershipRecord} record */
  removeButton({ user, hirerId }) {
    const dialog = /** @type {HTMLDialogElement} */ (byId('membership-remove'));
    const onclick = () => {
      byId('membership-remove-text').textContent = `${user} will no longer act for ${hirerId}.`;
      dialog.onclose = () => {
        if (dialog.returnValue === 'remove') void this.remove(user, hirerId);
        dialog.returnValue = '';
      };
      dialog.showModal();
    };
    const label = `Remove the membership of ${user} in ${hirerId}`;
    return make('button', { type: 'button', onclick, aria: { label } }, 'Remove…');
  }

  /**
   * @param {string} user
   * @param {string} hirerId
   */
  async remove(user, hirerId) {
    try {
      await request(routeOf(user, hirerId), { method: 'DELETE' });
      say('The membership is removed.');
      await this.load();
    } catch (error) {
      say(textOf(error));
    }
  }
}

/**
 * @param {string} user
 * @param {string} hirerId
 */
function routeOf(user, hirerId) {
  return `/memberships/${encodeURIComponent(user)}/${encodeURIComponent(hirerId)}`;
}
