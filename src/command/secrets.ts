import { randomBytes } from 'node:crypto';
import type { Run } from './command.js';
import { readArguments } from './read-arguments.js';

const KEY_BYTES = 48;
/** A multiple of three, so that its base64 needs no padding. */
const SINK_KEY_BYTES = 36;

/** `secrets`: new values for the secrets that no other party gives out, as lines of an env file. */
export const secrets: Run = async (argv, _environment, { print }) => {
  readArguments('secrets', argv, {});
  for (const name of ['USER_ID_KEY', 'SEALING_KEY', 'OPS_TOKEN', 'WEBHOOK_SECRETS']) {
    print(`${name}=${randomBytes(KEY_BYTES).toString('base64url')}`);
  }
  print(`EVENT_SINK_SECRET=whsec_${randomBytes(SINK_KEY_BYTES).toString('base64')}`);
  return 0;
};
