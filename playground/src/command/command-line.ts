import { CONTROLS } from '../control/controls.js';
import type { PlaygroundOptions } from '../playground.js';
import { DEFAULT_SWITCHES, SWITCH_MEMBERS, type Switches } from '../switches.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** How to use `npm run playground`, as printed with an error. */
export const USAGE = `In the installed package, replace "npm run playground --" with "partner-bff-playground".

npm run playground -- [--name=value …]                   start; or set PLAYGROUND_NAME in the environment
npm run playground -- <control> [name=value …]           control a running one (at PLAYGROUND_URL, or PLAYGROUND_PORT)
npm run playground -- <control> --clear                  clear what was set
npm run playground -- sdl                                print the schema; starts nothing

Start: host, hosts (that requests may name besides localhost, separated by commas), port, seed, size, tls,
       certificate-file, client-id, client-secret, audience, webhook-url, webhook-secret, and each
       switch of docs/playground.md in kebab-case.
Controls: ${Object.keys(CONTROLS).join(', ')}.

For example: npm run playground -- faults route=graphql status=503 times=2
             npm run playground -- events type=CandidateApplicationCreated count=5
`;

/** The start options beside the switches, each with a value of its type. */
const OPTIONS = {
  host: '',
  hosts: '',
  port: 0,
  seed: '',
  size: 0,
  tls: false,
  certificateFile: '',
  clientId: '',
  clientSecret: '',
  audience: '',
  webhookUrl: '',
  webhookSecret: '',
};
const EXAMPLES: Readonly<Record<string, unknown>> = { ...OPTIONS, ...DEFAULT_SWITCHES };
const PREFIX = 'PLAYGROUND_';
const CLIENT_OPTIONS = ['clientId', 'clientSecret', 'audience'];

/**
 * Reads what to start. Flags take precedence over the environment.
 * @throws Error for an unknown name, and for a value of the wrong type
 */
export function readStartOptions(environment: Environment, flags: readonly string[]): PlaygroundOptions {
  const options: Record<string, unknown> = {};
  const client: Record<string, unknown> = {};
  const switches: Record<string, unknown> = {};
  for (const [flag, text] of new Map([...fromEnvironment(environment), ...flags.map(readFlag)])) {
    const name = flag.replace(/-./g, (letter) => letter.charAt(1).toUpperCase());
    const value = readValue(name, flag, text);
    if (name in DEFAULT_SWITCHES) switches[name] = value;
    else if (CLIENT_OPTIONS.includes(name)) client[name] = value;
    else if (name === 'webhookUrl') options['webhook'] = { url: value };
    else if (name === 'hosts') options[name] = text.split(/[\s,]+/).filter((host) => host !== '');
    else options[name] = value;
  }
  return { ...options, client, switches };
}

function fromEnvironment(environment: Environment): [flag: string, text: string][] {
  return Object.entries(environment)
    .filter(([name, value]) => name.startsWith(PREFIX) && value !== undefined && !isServiceLink(name, value))
    .filter(([name]) => name !== 'PLAYGROUND_URL')
    .map(([name, value = '']) => [name.slice(PREFIX.length).toLowerCase().replaceAll('_', '-'), value]);
}

/** True for what Kubernetes sets in a pod for a Service called `playground`. */
function isServiceLink(name: string, value: string): boolean {
  return /^PLAYGROUND_(SERVICE_|PORT_\d)/.test(name) || /^(tcp|udp|sctp):\/\//.test(value);
}

/** `--name=value`, or `--name` for true. */
function readFlag(argument: string): [flag: string, text: string] {
  const [, flag, text = 'true'] = /^--([a-z-]+)(?:=(.*))?$/s.exec(argument) ?? [];
  if (flag === undefined) throw new Error(`${argument} is not a flag.\n${USAGE}`);
  return [flag, text];
}

function readValue(name: string, flag: string, text: string): unknown {
  const { enum: words } = (SWITCH_MEMBERS[name as keyof Switches] ?? {}) as { readonly enum?: string[] };
  if (words?.includes(text) === false) throw new Error(`${flag} is one of ${words.join(', ')}.`);
  const kind = typeof EXAMPLES[name];
  if (kind === 'undefined') throw new Error(`${flag} is not known.\n${USAGE}`);
  if (kind === 'string') return text;
  if (kind === 'boolean') {
    if (text !== 'true' && text !== 'false') throw new Error(`${flag} is true or false.`);
    return text === 'true';
  }
  if (text.trim() === '' || !Number.isFinite(Number(text))) throw new Error(`${flag} is not a number.`);
  return Number(text);
}

/**
 * Sends `name=value` pairs to a control route of a running playground, or reads the route if there are none, or if the
 * route can only be read: they are its filter then.
 * @param tell is told which playground: the one on the usual port may be another's
 */
export async function runControl(
  control: string,
  pairs: readonly string[],
  environment: Environment,
  tell: (line: string) => void = () => undefined,
): Promise<string> {
  if (!Object.hasOwn(CONTROLS, control)) throw new Error(`${control} is not a control.\n${USAGE}`);
  const { port = 3010, tls } = readStartOptions(environment, []);
  const origin =
    environment['PLAYGROUND_URL'] ?? `${tls === true ? 'https' : 'http'}://127.0.0.1:${String(port)}`;
  const url = new URL(`${origin}/playground/${control}`);
  const isClear = pairs.includes('--clear');
  const members = pairs.filter((pair) => pair !== '--clear').map(readPair);
  const isChange = members.length > 0 && CONTROLS[control]?.POST !== undefined;
  const method = isClear ? 'DELETE' : isChange ? 'POST' : 'GET';
  if (method === 'GET' && !CONTROLS[control]?.GET) throw new Error(`${control} needs ${membersOf(control)}.`);
  if (method === 'GET') for (const [name, value] of members) url.searchParams.set(name, String(value));
  const body = JSON.stringify(Object.fromEntries(members));
  const response = await fetch(url, {
    method,
    ...(method === 'POST' && { headers: { 'Content-Type': 'application/json' }, body }),
  }).catch((cause: unknown) => {
    throw new Error(
      `No playground answers at ${origin}. Start one, or set PLAYGROUND_URL or PLAYGROUND_PORT.`,
      { cause },
    );
  });
  tell(`${method} ${url.href}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.stringify(JSON.parse(text), null, 2);
}

/** What a control takes, as `values: type=A|B [count=…]`; one is needed where none is by itself. */
function membersOf(control: string): string {
  const { members = {}, required = [] } = CONTROLS[control]!;
  const isAny = required.length === 0;
  const pairs = Object.entries(members).map(
    ([name, { enum: words = ['…'] }]: [string, { enum?: readonly string[] }]) => {
      const pair = `${name}=${words.join('|')}`;
      return isAny || required.includes(name) ? pair : `[${pair}]`;
    },
  );
  return `${isAny ? 'one or more values' : 'values'}: ${pairs.join(' ')}`;
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
