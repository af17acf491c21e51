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
  if (direct || !file) return sound(name, direct || undefined, name, faults);
  const content = fileText(file);
  if ('value' in content) return sound(name, content.value, `${name}_FILE names a file whose text`, faults);
  faults.push(`${name}_FILE ${content.fault}`);
  return undefined;
}

/** @param subject what a fault begins with */
function sound(
  name: SettingName,
  text: string | undefined,
  subject: string,
  faults: string[],
): string | undefined {
  const fault = text === undefined ? undefined : textFault(text, SETTINGS[name].hasLines);
  if (fault === undefined) return text;
  faults.push(`${subject} ${fault}`);
  return undefined;
}

/** Defaults that playground mode has of its own. */
const PLAYGROUND_DEFAULTS = { HOST: '127.0.0.1', LOG_FORMAT: 'pretty' } as const;

/** The environment with the defaults of playground mode, also in place of a {@link hasForeignHost}. */
export function withPlaygroundDefaults(environment: Environment): Environment {
  const open = Object.entries(PLAYGROUND_DEFAULTS).filter(
    ([name]) => !isSet(environment, name) || (name === 'HOST' && hasForeignHost(environment)),
  );
  return { ...environment, ...Object.fromEntries(open) };
}

/** True if `HOST` is the name of a machine, as conda and csh set it: a playground starts nevertheless. */
export function hasForeignHost({ HOST }: Environment): boolean {
  return Boolean(HOST) && !isAddress(HOST!);
}
