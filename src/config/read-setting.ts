import { isAddress } from './values/setting.js';
import { fileText, textFault } from './values/text-fault.js';
import { SETTINGS, type SettingName } from './settings.js';

/** Environment variables, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** True if a setting has a value, directly or in a file. */
export function isSet(environment: Environment, name: string): boolean {
  return Boolean(environment[name]) || Boolean(environment[`${name}_FILE`]);
}

/** The variable that names the file of a setting. */
export function fileVariable(name: string): string {
  return name.endsWith('_FILE') ? name : `${name}_FILE`;
}

/** Reads one setting; what is wrong with it is added to `faults`. */
export function readSetting(name: SettingName, environment: Environment, faults: string[]): unknown {
  const raw = readText(name, environment, faults);
  if (raw === undefined) return SETTINGS[name].fallback;
  const reading = SETTINGS[name].parse(raw);
  if ('value' in reading) return reading.value;
  faults.push(`${name} ${reading.fault}`);
  return SETTINGS[name].fallback;
}

/** The text of the variable, or of its file; an empty variable counts as unset, and a text that cannot be meant is a fault. */
export function readText(name: SettingName, environment: Environment, faults: string[]): string | undefined {
  const direct = environment[name];
  const file = environment[`${name}_FILE`];
  if (direct && file) faults.push(`${name} and ${name}_FILE are both set; keep one`);
  if (!direct && !file) return undefined;
  const content = direct ? { value: direct } : fileText(file!);
  if ('fault' in content) return void faults.push(`${name}_FILE ${content.fault}`);
  const fault = textFault(content.value, SETTINGS[name].hasLines);
  if (fault === undefined) return content.value;
  return void faults.push(`${name}${direct ? '' : '_FILE names a file whose text'} ${fault}`);
}

/** Defaults that playground mode has of its own. */
const PLAYGROUND_DEFAULTS = { HOST: '127.0.0.1', LOG_FORMAT: 'pretty' } as const;

/** The environment with the defaults of playground mode, which also ignores a machine's name in `HOST`, as of conda and csh. */
export function withPlaygroundDefaults(environment: Environment): Environment {
  const { HOST } = environment;
  const own = HOST && !isAddress(HOST) ? { ...environment, HOST: undefined } : environment;
  const open = Object.entries(PLAYGROUND_DEFAULTS).filter(([name]) => !isSet(own, name));
  return { ...own, ...Object.fromEntries(open) };
}
