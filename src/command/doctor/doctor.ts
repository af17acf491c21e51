import { LATE, within } from '../../concurrency/within.js';
import { isBrokerUrl, isNats } from '../../config/values/broker-url.js';
import { startWarnings } from '../../config/faults/start-warnings.js';
import {
  ConfigError,
  loadConfig,
  readText,
  type Config,
  type Environment,
} from '../../config/load-config.js';
import { SETTINGS, type SettingName } from '../../config/settings.js';
import type { Run } from '../command.js';
import { PartnerAccess } from '../partner-access.js';
import { FLAG, readArguments } from '../read-arguments.js';
import { RunningService } from '../store/running-service.js';
import { clockChecks } from './clock-checks.js';
import { membershipChecks, serviceCheck, storeChecks } from './dependency-checks.js';
import { fail, ok, warn, type Check, type Finding } from './finding.js';
import { keyChecks } from './key-checks.js';
import { operationsCheck, subscriptionsCheck } from './schema-checks.js';
import { sinkChecks } from './sink-checks.js';
import { reasonOf, upstreamChecks } from './upstream-checks.js';

/** For each check; they run side by side. Some make three calls, each over a connection of its own, which may take two seconds. */
const CHECK_MS = 10_000;
const CONFIGURATION = 'docs/configuration.md explains it';

/**
 * `doctor`: a line for everything that the service relies on.
 * @returns 0, or 1 with any `fail`
 */
export const doctor: Run = async (argv, environment, { print }) => {
  const { values } = readArguments('doctor', argv, { options: { json: FLAG } });
  const hide = hiding(environment);
  const findings = (await examine(environment)).map(({ name, state, seen, todo }) => {
    return { name, state, seen: hide(seen), ...(todo !== undefined && { todo: hide(todo) }) };
  });
  const isWell = findings.every(({ state }) => state !== 'fail');
  if (values.json) print(JSON.stringify({ ok: isWell, checks: findings }, null, 2));
  else for (const line of toLines(findings)) print(line);
  return isWell ? 0 : 1;
};

async function examine(environment: Environment): Promise<Finding[]> {
  let config: Config;
  try {
    config = loadConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.faults.map((fault) => ({ name: 'settings', ...fail(fault, CONFIGURATION) }));
    return [...faults, ...toFindings(error.hints)];
  }
  const doubts = toFindings(startWarnings(config, environment));
  if (config.playground) {
    const seen =
      'UPSTREAM_URL is not set: the service would start its playground, and has no dependencies to check';
    return [{ name: 'settings', ...warn(seen, 'set UPSTREAM_URL for a real upstream') }, ...doubts];
  }
  return [
    { name: 'settings', ...ok('valid') },
    ...doubts,
    ...(await examineDependencies(config, environment)),
  ];
}

function toFindings(warnings: readonly string[]): Finding[] {
  return warnings.map((warning) => ({ name: 'settings', ...warn(warning, CONFIGURATION) }));
}

async function examineDependencies(config: Config, environment: Environment): Promise<Finding[]> {
  const service = RunningService.at({}, environment);
  const partner = new PartnerAccess(config);
  const found = await run([
    ...clockChecks(config),
    ...upstreamChecks(config, partner),
    ...keyChecks(config),
    ...membershipChecks(config),
    ...storeChecks(config, service),
    ...sinkChecks(config),
    serviceCheck(service),
  ]);
  // Compiling holds the event loop, for seconds on a slow machine: the checks above would miss their answers meanwhile.
  const compared = await run([operationsCheck(config, partner), subscriptionsCheck(config, partner)]);
  await within(CHECK_MS, partner.close());
  const isClock = ({ name }: Finding): boolean => name.startsWith('clock of ');
  return [...found.filter((one) => !isClock(one)), ...compared, ...found.filter(isClock)];
}

async function run(checks: readonly Check[]): Promise<Finding[]> {
  return (await Promise.all(checks.map(runOne))).flat();
}

async function runOne({ name, todo, run: work }: Check): Promise<readonly Finding[]> {
  try {
    const result = await within(CHECK_MS, work());
    if (result === LATE) return [{ name, ...fail(`no answer within ${CHECK_MS / 1000} s`, todo) }];
    return 'state' in result ? [{ name, ...result }] : result;
  } catch (error) {
    return [{ name, ...fail(reasonOf(error), todo) }];
  }
}

function toLines(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ name }) => name.length));
  return findings.map(({ name, state, seen, todo }) => {
    const text = todo === undefined ? seen : `${seen} -> ${todo}`;
    return `${state.padEnd(4)}  ${name.padEnd(width)}  ${text.replaceAll(/\s+/g, ' ')}`;
  });
}

/** Others may quote what they were sent: no text that is printed holds a secret of the settings. */
function hiding(environment: Environment): (text: string) => string {
  const secrets = (Object.keys(SETTINGS) as SettingName[]).flatMap((name) => {
    const text = readText(name, environment, []) ?? '';
    return SETTINGS[name].secret ? text.split(/[\s,]+/) : passwordsOf(text);
  });
  const long = secrets.filter((secret) => secret.length > 3);
  return (text) => long.reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text);
}

/** A user without a password is a token of NATS. */
function passwordsOf(text: string): string[] {
  if (!text.includes('://') || !URL.canParse(text)) return [];
  const url = new URL(text);
  const secret = url.password || (isNats(url) ? url.username : '');
  return [secret, ...(isBrokerUrl(url) ? [] : url.searchParams.values())];
}
