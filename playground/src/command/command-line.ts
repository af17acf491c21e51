import { parseArgs } from 'node:util';
import { CONTROLS } from '../control/controls.js';
import type { PlaygroundOptions } from '../playground.js';
import { DEFAULT_SWITCHES, SWITCH_MEMBERS, type Switches } from '../switches.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** How to use `npm run playground`, as printed with an error. */
export const USAGE = `As a package of its own, write partner-bff-playground in place of npm run playground --

npm run playground -- [--name=value …]                   start; or set PLAYGROUND_NAME in the environment
npm run playground -- <control> [name=value …]           control a running one (PLAYGROUND_URL, http://127.0.0.1:3010)
npm run playground -- <control> --clear                  clear what was set
npm run playground -- sdl                                print the schema; starts nothing

Start: host, hosts (that requests may name besides localhost, separated by commas), port, seed, size, tls,
       certificate-file, client-id, client-secret, audience, webhook-url, webhook-secret, events-per-minute, and each
       switch of docs/playground.md in kebab-case.
Controls: ${Object.keys(CONTROLS).join(', ')}.

For example: npm run playground -- faults route=graphql status=503 times=2
             npm run playground -- events type=CandidateApplicationCreated count=5
`;

type Kind = 'string' | 'number' | 'boolean';

const START_OPTIONS: Readonly<Record<string, Kind>> = {
  host: 'string',
  hosts: 'string',
  port: 'number',
  seed: 'string',
  size: 'number',
  tls: 'boolean',
  certificateFile: 'string',
  clientId: 'string',
  clientSecret: 'string',
  audience: 'string',
  webhookUrl: 'string',
  webhookSecret: 'string',
  eventsPerMinute: 'number',
};
const CLIENT_OPTIONS = ['clientId', 'clientSecret', 'audience'];

/** Every option by its flag: `--client-id` is `clientId`. */
const BY_FLAG = new Map(
  [...Object.keys(START_OPTIONS), ...Object.keys(DEFAULT_SWITCHES)].map((name) => [kebab(name), name]),
);

/**
 * Reads what to start. Flags take precedence over the environment.
 * @throws Error for an unknown name, and for a value of the wrong type
 */
export function readStartOptions(environment: Environment, flags: readonly string[]): PlaygroundOptions {
  const options: Record<string, unknown> = {};
  const client: Record<string, unknown> = {};
  const switches: Record<string, unknown> = {};
  for (const [flag, text] of Object.entries({ ...fromEnvironment(environment), ...fromFlags(flags) })) {
    const name = BY_FLAG.get(flag);
    if (name === undefined) throw new Error(`${flag} is not known.\n${USAGE}`);
    const value = readAs(kindOf(name), flag, text);
    if (isSwitch(name)) switches[name] = checkSwitch(name, value);
    else if (CLIENT_OPTIONS.includes(name)) client[name] = value;
    else if (name === 'webhookUrl') options['webhook'] = { url: value };
    else if (name === 'hosts') options[name] = text.split(/[\s,]+/).filter((host) => host !== '');
    else options[name] = value;
  }
  return { ...options, client, switches };
}

function fromEnvironment(environment: Environment): Record<string, string> {
  const given = Object.entries(environment).flatMap(([name, value]) =>
    name.startsWith('PLAYGROUND_') &&
    name !== 'PLAYGROUND_URL' &&
    value !== undefined &&
    !isServiceLink(name, value)
      ? [[name.slice('PLAYGROUND_'.length).toLowerCase().replaceAll('_', '-'), value]]
      : [],
  );
  return Object.fromEntries(given) as Record<string, string>;
}

/** True for what Kubernetes sets in a pod for a Service called `playground`. */
function isServiceLink(name: string, value: string): boolean {
  return /^PLAYGROUND_(SERVICE_|PORT_\d)/.test(name) || /^(tcp|udp|sctp):\/\//.test(value);
}

function fromFlags(args: readonly string[]): Record<string, string> {
  const options = Object.fromEntries(
    [...BY_FLAG].map(([flag, name]) => [
      flag,
      { type: kindOf(name) === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  // `strict` would refuse a value for a boolean, as in --batching=false.
  const { values, positionals } = parseArgs({ args: [...args], options, strict: false });
  if (positionals[0] !== undefined) throw new Error(`${positionals[0]} is not a flag.\n${USAGE}`);
  return Object.fromEntries(Object.entries(values).map(([flag, value]) => [flag, String(value)]));
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function kindOf(name: string): Kind {
  return START_OPTIONS[name] ?? (typeof DEFAULT_SWITCHES[name as keyof Switches] as Kind);
}

function readAs(kind: Kind, flag: string, text: string): unknown {
  switch (kind) {
    case 'string':
      return text;
    case 'number':
      if (text.trim() === '' || !Number.isFinite(Number(text))) throw new Error(`${flag} is not a number.`);
      return Number(text);
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw new Error(`${flag} is true or false.`);
      return text === 'true';
  }
}

function isSwitch(name: string): name is keyof Switches {
  return name in DEFAULT_SWITCHES;
}

function checkSwitch(name: keyof Switches, value: unknown): unknown {
  const { enum: words } = SWITCH_MEMBERS[name] as { readonly enum?: readonly unknown[] };
  if (words?.includes(value) === false) throw new Error(`${name} is one of ${words.join(', ')}.`);
  return value;
}

/** Sends `name=value` pairs to a control route of a running playground, or reads the route if there are none. */
export async function runControl(
  control: string,
  pairs: readonly string[],
  environment: Environment,
): Promise<string> {
  if (!Object.hasOwn(CONTROLS, control)) throw new Error(`${control} is not a control.\n${USAGE}`);
  const origin = environment['PLAYGROUND_URL'] ?? 'http://127.0.0.1:3010';
  const url = new URL(`${origin}/playground/${control}`);
  const isClear = pairs.includes('--clear');
  const members = pairs.filter((pair) => pair !== '--clear');
  const body = Object.fromEntries(members.map(readPair));
  const method = isClear ? 'DELETE' : Object.keys(body).length > 0 ? 'POST' : 'GET';
  const response = await fetch(url, {
    method,
    ...(method === 'POST' && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Error(`No playground answers at ${origin}. Start one, or set PLAYGROUND_URL.`, { cause });
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.stringify(JSON.parse(text), null, 2);
}

/** A value that is not valid JSON is taken as text. */
function readPair(pair: string): [string, unknown] {
  const [, name, text = ''] = /^([\w-]+)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined) throw new Error(`${pair} is not of the form name=value.\n${USAGE}`);
  try {
    return [name, JSON.parse(text)];
  } catch {
    return [name, text];
  }
}
