import { createServer } from 'node:net';
import { ExitFault } from '../../errors/exit-fault.js';
import { ConfigError } from '../config.js';
import { placesOf, type ListenerSettings, type Place } from './environment-faults.js';

/** Exit code of a start that needs something it cannot reach (sysexits, EX_UNAVAILABLE). */
export const UNAVAILABLE_EXIT_CODE = 69;

/** Something that the start needs cannot be reached, but may be later. Names the settings, never a value but a port's number. */
export class UnavailableError extends ExitFault {
  override readonly name = 'UnavailableError';

  constructor(faults: readonly string[], cause?: unknown) {
    super(['The service cannot start:', ...faults].join('\n  - '), UNAVAILABLE_EXIT_CODE, cause);
  }
}

/**
 * Refuses ports that other processes use, all at once: each is bound for a moment.
 * @throws UnavailableError that names settings and ports
 */
export async function refuseTakenPorts(settings: ListenerSettings): Promise<void> {
  const places = placesOf(settings).filter(({ port }) => port !== 0);
  const areTaken = await Promise.all(places.map(isTaken));
  const taken = places.filter((_place, index) => areTaken[index]);
  if (taken.length === 0) return;
  throw new UnavailableError(taken.map(({ name, port }) => takenPort(name, port)));
}

/** Any other reason why it cannot be bound is left to the listener itself. */
function isTaken({ port, host }: Place): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EADDRINUSE'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(false)));
  });
}

/** @param setting the one that names the port, or the port before it */
function takenPort(setting: string, port: number | undefined): string {
  return `${setting}: port ${port} is used by another process; stop that process, or choose another port`;
}

/** Why a listener cannot be opened, by the names of its settings; any other error as it is. */
export function listenFault(error: unknown, portSetting: string, hostSetting: string): unknown {
  switch (String((error as NodeJS.ErrnoException).code)) {
    case 'EADDRINUSE':
      return new UnavailableError([takenPort(portSetting, (error as { port?: number }).port)], error);
    case 'EACCES':
      return new ConfigError([`${portSetting} names a port that this user may not open`]);
    case 'EADDRNOTAVAIL':
      return new ConfigError([`${hostSetting} does not name an address of this machine`]);
    default:
      return unknownListenFault(error, portSetting, hostSetting);
  }
}

function unknownListenFault(error: unknown, portSetting: string, hostSetting: string): unknown {
  const { syscall, code } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new UnavailableError(
    [`${portSetting} and ${hostSetting} name an address that cannot be listened on (${syscall} ${code})`],
    error,
  );
}
