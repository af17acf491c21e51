import type { PlaygroundOptions } from './playground.js';
import { DEFAULT_SWITCHES, faultOfSwitch, type Switches } from './switches.js';

type Environment = Readonly<Record<string, string | undefined>>;

export const USAGE = `npm run playground -- [--name=value …]         start; the same names as PLAYGROUND_NAME in the environment
npm run playground -- <control> [name=value …]  steer one that runs (PLAYGROUND_URL, http://127.0.0.1:3010)
npm run playground -- <control> --clear         empty it

Start: host, port, issuer-port, seed, tls, certificate-file, client-id, client-secret, audience, webhook-url,
       webhook-secret, events-per-minute, and each switch of docs/playground.md in kebab-case.
Controls: calls, faults, rate-limits, switches, clock, tokens, tokens/expire, tokens/revoke, events, events/rate,
       webhooks/subscriptions, webhooks/requests, webhooks/mischief, webhooks/settings, webhooks/replay.

For example: npm run playground -- faults route=graphql status=503 times=2
             npm run playground -- events type=CandidateApplicationCreated count=5
`;

/** Flags win over the environment. Throws on a name nobody knows and on a number that is none. */
export function readStartOptions(environment: Environment, flags: readonly string[]): PlaygroundOptions {
  const given = readGiven(environment, flags);
  const take = (name: string): string | undefined => {
    const value = given.get(name);
    given.delete(name);
    return value;
  };
  const host = take('host');
  const seed = take('seed');
  const certificateFile = take('certificate-file');
  const webhookUrl = take('webhook-url');
  const webhookSecret = take('webhook-secret');
  const port = toNumber('port', take('port'));
  const issuerPort = toNumber('issuer-port', take('issuer-port'));
  const eventsPerMinute = toNumber('events-per-minute', take('events-per-minute'));
  const tls = toBoolean('tls', take('tls'));
  const client = {
    ...defined('clientId', take('client-id')),
    ...defined('clientSecret', take('client-secret')),
    ...defined('audience', take('audience')),
  };
  const switches = readSwitches(take);
  const [unknown] = given.keys();
  if (unknown !== undefined) throw new Error(`${unknown} is not known.\n${USAGE}`);
  return {
    ...defined('host', host),
    ...defined('port', port),
    ...defined('issuerPort', issuerPort),
    ...defined('seed', seed),
    ...defined('tls', tls),
    ...defined('certificateFile', certificateFile),
    ...defined('webhookSecret', webhookSecret),
    ...defined('webhook', webhookUrl === undefined ? undefined : { url: webhookUrl }),
    ...defined('eventsPerMinute', eventsPerMinute),
    client,
    switches,
  };
}

function readGiven(environment: Environment, flags: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('PLAYGROUND_') || name === 'PLAYGROUND_URL' || value === undefined) continue;
    given.set(name.slice('PLAYGROUND_'.length).toLowerCase().replaceAll('_', '-'), value);
  }
  for (const flag of flags) {
    const [, name, value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(flag) ?? [];
    if (name === undefined) throw new Error(`${flag} is not a flag.\n${USAGE}`);
    given.set(name, value ?? 'true');
  }
  return given;
}

function readSwitches(take: (name: string) => string | undefined): Partial<Switches> {
  const switches: Record<string, unknown> = {};
  for (const [name, standard] of Object.entries(DEFAULT_SWITCHES)) {
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const text = take(flag);
    if (text === undefined) continue;
    const value = readLike(standard, flag, text);
    const fault = faultOfSwitch(name, value);
    if (fault !== undefined) throw new Error(fault);
    switches[name] = value;
  }
  return switches;
}

function readLike(standard: unknown, flag: string, text: string): unknown {
  if (typeof standard === 'number') return toNumber(flag, text);
  return typeof standard === 'boolean' ? toBoolean(flag, text) : text;
}

function toNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new Error(`${name} is not a number.`);
  return value;
}

function toBoolean(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== 'true' && text !== 'false') throw new Error(`${name} is true or false.`);
  return text === 'true';
}

function defined<K extends string, V>(name: K, value: V | undefined): { [name in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [name in K]: V });
}

/** Sends `name=value` pairs to a control route of a playground that runs; without any, reads it. */
export async function runControl(
  control: string,
  pairs: readonly string[],
  environment: Environment,
): Promise<string> {
  const url = `${environment['PLAYGROUND_URL'] ?? 'http://127.0.0.1:3010'}/playground/${control}`;
  const isClear = pairs.includes('--clear');
  const body = Object.fromEntries(pairs.filter((pair) => pair !== '--clear').map(readPair));
  const method = isClear ? 'DELETE' : Object.keys(body).length > 0 ? 'POST' : 'GET';
  const response = await fetch(url, {
    method,
    ...(method === 'POST' && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.stringify(JSON.parse(text), null, 2);
}

/** A value is JSON where it reads as JSON, else text. */
function readPair(pair: string): [string, unknown] {
  const [, name, text = ''] = /^([\w-]+)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined) throw new Error(`${pair} is not of the form name=value.\n${USAGE}`);
  try {
    return [name, JSON.parse(text)];
  } catch {
    return [name, text];
  }
}
