import { ConfigError } from '../load-config.js';

/** Exit code of a start that needs something it cannot reach (sysexits, EX_UNAVAILABLE). */
export const UNAVAILABLE_EXIT_CODE = 69;

/** Something that the start needs cannot be reached, but may be later. Names the setting, never its value. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';

  constructor(setting: string, reason: string, cause?: unknown) {
    super(`The service cannot start:\n  - ${setting} ${reason}`, { cause });
  }
}

/** Why a listener cannot be opened, by the names of its settings; any other error as it is. */
export function listenFault(error: unknown, portSetting: string, hostSetting: string): unknown {
  switch (String((error as NodeJS.ErrnoException).code)) {
    case 'EADDRINUSE':
      return new UnavailableError(
        portSetting,
        `names a port that another process uses: stop that process, or set ${portSetting} to another port`,
        error,
      );
    case 'EACCES':
      return new ConfigError([`${portSetting} names a port that this user may not open`]);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError([`${hostSetting} does not name an address of this machine`]);
    default:
      return unknownListenFault(error, portSetting, hostSetting);
  }
}

function unknownListenFault(error: unknown, portSetting: string, hostSetting: string): unknown {
  const { syscall, code } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new UnavailableError(
    portSetting,
    `and ${hostSetting} name an address that cannot be listened on (${syscall} ${code})`,
    error,
  );
}
