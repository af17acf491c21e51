import { isAddress } from './values/setting.js';
import { isSet, type Environment } from './read-setting.js';

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
