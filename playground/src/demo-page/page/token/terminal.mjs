import { copyButton, h } from '../dom.mjs';
import { signIn } from '../sign-in.mjs';

/** @import { Choice } from './exchange.mjs' */
/** @import { Config } from '../sign-in.mjs' */

/**
 * Shows the chosen request as a command to paste into a shell.
 * @param {HTMLElement} place
 * @param {Config} config
 * @returns {(choice: Choice) => Promise<void>} shows another choice
 */
export function startTerminal(place, config) {
  const code = h('code', {});
  const about = h('p', { class: 'facts' });
  const copy = copyButton(() => code.textContent, 'Copy the command');
  place.append(
    h('div', { class: 'command-line' }, about, copy),
    h('pre', { class: 'code command', tabindex: '0', 'aria-label': 'The command' }, code),
  );
  return async (choice) => {
    const { body } = await signIn(config, choice.user, crypto.randomUUID());
    code.textContent = curl(choice, body.access_token);
    about.textContent = `${choice.user.name} asks for ${choice.hirer.missing ? 'a hirer that does not exist' : choice.hirer.name}. The end-user token in it is valid for an hour.`;
  };
}

/**
 * @param {Choice} choice
 * @param {string} token
 */
function curl({ hirer, scopes }, token) {
  const body = JSON.stringify({ hirerId: hirer.hirerId, scope: scopes.join(' ') });
  return `curl -sS ${location.origin}/auth/token -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${body}'`;
}
