import { byId, say } from './dom.js';

const RETRY_MS = 2_000;

/** The token and the name live in this tab alone: no other tab, no cookie, no address ever holds them. */
const stored = {
  get token() {
    return sessionStorage.getItem('ops-token') ?? '';
  },
  get actor() {
    return sessionStorage.getItem('ops-actor') ?? '';
  },
};

function keep(name, value) {
  if (value) sessionStorage.setItem(name, value);
  else sessionStorage.removeItem(name);
}

function headers() {
  return {
    ...(stored.token && { authorization: `Bearer ${stored.token}` }),
    ...(stored.actor && { 'x-ops-actor': encodeURIComponent(stored.actor) }),
  };
}

/** What an ops route answered that is no success. */
export class Refusal extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/**
 * Calls an ops route and gives its answer.
 * @throws Refusal
 */
export async function request(path, options = {}) {
  const response = await fetch(path, { ...options, headers: { ...headers(), ...options.headers } });
  if (response.ok) return response;
  if (response.status === 401) askToSignIn('The ops token is missing, or no longer the right one.');
  const problem = await response.json().catch(() => ({}));
  throw new Refusal(response.status, problem.detail ?? `The service answered ${response.status}.`);
}

/** Follows the server-sent events of a route for ever; by `fetch`, since an EventSource cannot send the token. */
export async function follow(path, onEvent, onInterrupted) {
  for (;;) {
    try {
      const response = await request(path);
      await readEvents(response.body.pipeThrough(new TextDecoderStream()), onEvent);
    } catch (fault) {
      if (fault instanceof Refusal && fault.status === 401) {
        await signedIn();
        continue;
      }
    }
    onInterrupted();
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function readEvents(stream, onEvent) {
  let rest = '';
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (event) onEvent(event, JSON.parse(data));
    }
  }
}

let waiting = [];

function signedIn() {
  return new Promise((resolve) => waiting.push(resolve));
}

function askToSignIn(reason) {
  const dialog = byId('sign-in');
  byId('sign-in-reason').textContent = reason;
  if (!dialog.open) dialog.showModal();
}

/** Readies the dialog; `onChange` is called after each sign-in. */
export function startSession(onChange) {
  const dialog = byId('sign-in');
  const form = dialog.querySelector('form');
  const name = () => (byId('person').textContent = stored.actor || 'Unnamed');
  const change = () => {
    form.elements.token.value = '';
    name();
    for (const resolve of waiting) resolve();
    waiting = [];
    onChange();
  };
  form.elements.actor.value = stored.actor;
  form.addEventListener('submit', () => {
    if (form.elements.token.value) keep('ops-token', form.elements.token.value.trim());
    keep('ops-actor', form.elements.actor.value.trim());
    change();
  });
  byId('sign-out').addEventListener('click', () => {
    keep('ops-token', '');
    keep('ops-actor', '');
    form.elements.actor.value = '';
    dialog.close();
    say('Token and name are forgotten.');
    change();
  });
  byId('person').addEventListener('click', () =>
    askToSignIn('Who are you? The name stands beside what you do here.'),
  );
  name();
}
