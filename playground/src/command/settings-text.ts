import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Playground } from '../playground.js';

const KEY_BYTES = 48;
const PLAIN = /^[\w:/.,@%+-]*$/;

/**
 * The text that a standalone playground prints: every setting that a service needs to use it, one per line, and the first
 * steps. The lines are valid in a shell and in an env file. Keys are new at each start.
 * @param certificateFile where the certificate is, when the playground speaks TLS
 */
export function settingsText(playground: Playground, certificateFile?: string): string {
  const { upstreamUrl, issuerUrl, demo, machine } = playground;
  const [{ subject, hirerId }] = demo.memberships as [Playground['demo']['memberships'][number]];
  const isTrusted = playground.certificate === undefined || certificateFile !== undefined;
  return [
    `# The playground is running. Examples: ${upstreamUrl}/`,
    '# Settings for a service. In a shell, paste them after "set -a", then run "npx partner-bff start"; or save them as an env file.',
    ...linesOf(settingsOf(playground, certificateFile)),
    ...(isTrusted
      ? []
      : ['# The service trusts the certificate only from a file: start with --certificate-file.']),
    `# When the service runs, make ${subject} a member of a hirer, and sign in as ${subject}:`,
    `# npx partner-bff memberships add ${subject} ${hirerId}`,
    `# curl -sS ${issuerUrl}/demo/sign-in -H 'Content-Type: application/json' -d '{"subject": "${subject}"}'`,
    '# A machine, such as your back end, gets its token by client credentials:',
    `# curl -sS ${machine.tokenUrl} -d grant_type=client_credentials -d client_id=${machine.clientId} -d client_secret=${machine.clientSecret}`,
    '',
  ].join('\n');
}

function linesOf(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).map(([name, value]) => `${name}=${quoted(value)}`);
}

/** A folder of its own: a store of playground mode is refused by a service that is configured for an upstream. */
function settingsOf(playground: Playground, certificateFile?: string): Record<string, string> {
  const { settings, certificate, upstreamUrl } = playground;
  return {
    ...settings,
    PLAYGROUND_URL: upstreamUrl, // of the controls
    HOST: '127.0.0.1',
    DATA_DIR: './data/rehearsal',
    USER_ID_KEY: randomBytes(KEY_BYTES).toString('base64url'),
    SEALING_KEY: randomBytes(KEY_BYTES).toString('base64url'),
    ...(certificate !== undefined &&
      certificateFile !== undefined && { NODE_EXTRA_CA_CERTS: resolve(certificateFile) }),
  };
}

function quoted(value: string): string {
  return PLAIN.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
