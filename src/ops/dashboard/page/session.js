import { byId, fieldOf, say } from './dom.js';

/** Token and name are kept in this tab only: not in another tab, a cookie or an address. */
const stored = {
  get token() {
    return sessionStorage.getItem('ops-token') ?? '';
  },
  get actor() {
    return sessionStorage.getItem('ops-actor') ?? '';
  },
};

/**
 * @param {string} name
 * @param {string} value an empty one is removed
 */
function keep(name, value) {
  if (value) sessionStorage.setItem(name, value);
  else sessionStorage.removeItem(name);
}

/** @returns {Record<string, string>} */
function headers() {
  return {
    ...(stored.token && { authorization: `Bearer ${stored.token}` }),
    ...(stored.actor && { 'x-ops-actor': encodeURIComponent(stored.actor) }),
  };
}

/** An error response of an ops route. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} detail
   */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/**
 * Calls an ops route.
 * @param {string} path
 * @param {{ method?: string, body?: string, signal?: AbortSignal }} options JSON, where there is a body
 * @throws {Refusal}
 */
export async function request(path, options = {}) {
  const type = options.body === undefined ? {} : { 'content-type': 'application/json' };
  const { token } = stored;
  const response = await fetch(path, { ...options, headers: { ...headers(), ...type } });
  if (response.ok) return response;
  if (response.status === 401) refuse(token);
  const problem = await response.json().catch(() => ({}));
  throw new Refusal(response.status, textOf(response, problem));
}

/**
 * What a person can act on: the text of a 503 speaks of a header, which the page does not show.
 * @param {Response} response
 * @param {{ detail?: string }} problem
 */
function textOf({ status, headers }, { detail }) {
  const seconds = headers.get('retry-after');
  if (status !== 503 || seconds === null) return detail ?? `The service answered ${status}.`;
  return `The service cannot do this at the moment. Try again in ${seconds} s.`;
}

/**
 * Asks a route again and again. Where the token is refused, it waits for the next sign-in.
 * @param {string} path
 * @param {number} everyMs
 * @param {(answer: any) => void} onAnswer
 * @param {() => void} onInterrupted
 */
export async function poll(path, everyMs, onAnswer, onInterrupted) {
  for (;;) {
    try {
      onAnswer(await (await request(path)).json());
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) {
        await signedIn();
        continue;
      }
      onInterrupted();
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** @type {(() => void)[]} */
let waiting = [];

/** @returns {Promise<void>} */
function signedIn() {
  return new Promise((resolve) => waiting.push(resolve));
}

function signInDialog() {
  return /** @type {HTMLDialogElement} */ (byId('sign-in'));
}

/**
 * Says whether there was no token, or a wrong one, which is dropped.
 * @param {string} sent the token of the request that was refused
 */
function refuse(sent) {
  if (sent === '') {
    if (!signInDialog().open) askToSignIn('This dashboard needs the ops token: the value of OPS_TOKEN.');
  } else if (sent === stored.token) {
    keep('ops-token', '');
    askToSignIn('The service refused this ops token. Enter the current value of OPS_TOKEN.', 'warning');
  }
}

/** @param {string} reason */
function askToSignIn(reason, className = '') {
  const dialog = signInDialog();
  Object.assign(byId('sign-in-reason'), { textContent: reason, className });
  if (!dialog.open) dialog.showModal();
}

/**
 * Prepares the dialog.
 * @param {() => void} onChange called after each sign-in
 */
export function startSession(onChange) {
  const dialog = signInDialog();
  const form = /** @type {HTMLFormElement} */ (dialog.querySelector('form'));
  const token = fieldOf(form, 'token');
  const actor = fieldOf(form, 'actor');
  const name = () => (byId('person').textContent = stored.actor || 'Set your name');
  const change = () => {
    token.value = '';
    name();
    for (const resolve of waiting) resolve();
    waiting = [];
    onChange();
  };
  actor.value = stored.actor;
  form.addEventListener('submit', () => {
    if (token.value) keep('ops-token', token.value.trim());
    keep('ops-actor', actor.value.trim());
    change();
  });
  byId('sign-out').addEventListener('click', () => {
    keep('ops-token', '');
    keep('ops-actor', '');
    actor.value = '';
    dialog.close();
    say('Token and name removed.');
    change();
  });
  byId('person').addEventListener('click', () => {
    askToSignIn('Your name is recorded with the changes that you make here.');
    actor.focus();
  });
  name();
}
