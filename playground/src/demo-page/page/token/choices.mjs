import { h } from '../../../pages/dom.mjs';

/** @import { Choice } from './exchange.mjs' */
/** @import { Config } from '../sign-in.mjs' */

/** Shows that a hirer that does not exist is answered like one that the user cannot access. */
const MISSING_HIRER = {
  hirerId: 'seekAnzPublicTest:organization:seek:1NoSuch1',
  name: 'A hirer that does not exist',
  missing: true,
};
const SCOPE_NOTES = {
  'query:organizations': 'the hirer itself',
  'query:ontologies': 'locations, job categories',
  'query:ad-products': 'advertisement products',
  'query:position-profiles': 'job ads; not allowed by default',
};
const CHOSEN_AT_FIRST = 'query:organizations';

/**
 * Fills the form with the users, hirers and scopes to choose from.
 * @param {HTMLFormElement} form
 * @param {Config} config
 * @returns {() => Choice} reads the current choice
 */
export function startChoices(form, { users, hirers, scopes }) {
  const allHirers = [...hirers, MISSING_HIRER];
  form.append(
    group(
      'Who is signed in?',
      users.map(({ subject, name, about }) => option('radio', 'user', subject, name, about)),
    ),
    group(
      'For which hirer?',
      allHirers.map(({ hirerId, name }) => option('radio', 'hirer', hirerId, name)),
    ),
    group(
      'With which scopes?',
      scopes.map((scope) => option('checkbox', 'scope', scope, h('code', {}, scope), SCOPE_NOTES[scope])),
    ),
  );
  for (const chosen of ['[name=user]', '[name=hirer]', `[value="${CHOSEN_AT_FIRST}"]`]) {
    /** @type {HTMLInputElement} */ (form.querySelector(chosen)).checked = true;
  }

  return () => {
    const data = new FormData(form);
    return /** @type {Choice} */ ({
      user: users.find(({ subject }) => subject === data.get('user')),
      hirer: allHirers.find(({ hirerId }) => hirerId === data.get('hirer')),
      scopes: data.getAll('scope'),
    });
  };
}

function group(title, options) {
  return h('fieldset', {}, h('legend', {}, title), options);
}

function option(type, name, value, title, about) {
  return h(
    'label',
    { class: 'option' },
    h('input', { type, name, value }),
    h(
      'span',
      { class: 'option-text' },
      h('span', { class: 'option-title' }, title),
      ...(about ? [' ', h('small', {}, about)] : []),
    ),
  );
}
