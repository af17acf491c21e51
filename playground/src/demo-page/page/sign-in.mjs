import { send } from './http.mjs';

/** @typedef {{subject: string, name: string, about: string}} User */
/** @typedef {{hirerId: string, name: string, missing?: boolean}} Hirer */
/**
 * The answer of `/demo/config.json`.
 * @typedef {object} Config
 * @property {string} upstreamUrl
 * @property {string} issuerUrl
 * @property {string} opsUrl
 * @property {User[]} users
 * @property {Hirer[]} hirers
 * @property {string[]} scopes
 */

/**
 * Signs a demo user in, without a password. Takes the place of the partner's own sign-in.
 * @param {Config} config
 * @param {User} user
 * @param {string} sessionId
 */
export function signIn(config, user, sessionId) {
  return send(`${config.issuerUrl}/demo/sign-in`, { sessionId, body: { subject: user.subject } });
}
