import { h } from '../../pages/dom.mjs';

/** @import { Config, Hirer, User } from './sign-in.mjs' */

/**
 * Fills a form with a choice of user and hirer.
 * @param {HTMLFormElement} form
 * @param {Config} config
 * @returns {() => {user: User, hirer: Hirer}} reads the choice
 */
export function startChoiceForm(form, { users, hirers }) {
  form.append(
    select('user', 'User', users, ({ subject, name }) => [subject, name]),
    select('hirer', 'Hirer', hirers, ({ hirerId, name }) => [hirerId, name]),
  );
  form.addEventListener('submit', (event) => event.preventDefault());
  return () => {
    const data = new FormData(form);
    return /** @type {{user: User, hirer: Hirer}} */ ({
      user: users.find(({ subject }) => subject === data.get('user')),
      hirer: hirers.find(({ hirerId }) => hirerId === data.get('hirer')),
    });
  };
}

/**
 * A labelled list to choose from.
 * @template T
 * @param {string} name
 * @param {string} label
 * @param {readonly T[]} items
 * @param {(item: T) => [value: string, text: string]} optionOf
 */
export function select(name, label, items, optionOf) {
  const options = items.map(optionOf).map(([value, text]) => h('option', { value }, text));
  return h('label', {}, label, h('select', { name }, options));
}
