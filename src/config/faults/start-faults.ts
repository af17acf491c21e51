import { createServer } from 'node:net';
import { ExitFault } from '../../errors/exit-fault.js';
import { ConfigError, type Config } from '../config.js';

/** Exit code of a start that needs something it cannot reach (sysexits, EX_UNAVAILABLE). */
export const UNAVAILABLE_EXIT_CODE = 69;

const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** The settings that say where listeners are opened, those of the playground too where there is one. */
export type ListenerSettings = Pick<
  Config,
  'PORT' | 'HOST' | 'OPS_PORT' | 'OPS_HOST' | 'PLAYGROUND_PORT' | 'playground'
>;

interface Place {
  readonly name: string;
  readonly port: number;
  readonly host: string;
}

/** Something that the start needs cannot be reached, but may be later. Names the settings, never a value but a port's number. */
export class UnavailableError extends ExitFault {
  override readonly name = 'UnavailableError';

  constructor(
    readonly faults: readonly string[],
    cause?: unknown,
  ) {
    super(['The service cannot start:', ...faults].join('\n  - '), UNAVAILABLE_EXIT_CODE, cause);
  }
}

/** A fault for each two listeners of this process that want the same port. Port 0 is any that is free. */
export function portFaults(settings: ListenerSettings): string[] {
  const places = placesOf(settings);
  return places.flatMap((place, index) => {
    const others = places.slice(0, index).filter((other) => collide(place, other));
    return others.map(({ name }) => `${place.name} is the same as ${name}; choose another`);
  });
}

function placesOf({ playground, PLAYGROUND_PORT: port, ...own }: ListenerSettings): Place[] {
  const host = '127.0.0.1';
  const ofPlayground = [
    { name: 'PLAYGROUND_PORT', port, host },
    { name: 'PLAYGROUND_PORT + 1', port: port + 1, host },
  ];
  return [
    { name: 'PORT', port: own.PORT, host: own.HOST },
    { name: 'OPS_PORT', port: own.OPS_PORT, host: own.OPS_HOST },
    ...(playground && port !== 0 ? ofPlayground : []),
  ];
}

function collide(one: Place, other: Place): boolean {
  const shareAddress =
    one.host === other.host || [one.host, other.host].some((host) => EVERY_ADDRESS.includes(host));
  return one.port !== 0 && one.port === other.port && shareAddress;
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
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  switch (code) {
    case undefined:
      return error;
    case 'EADDRINUSE':
      return new UnavailableError([takenPort(portSetting, port)], error);
    case 'EACCES':
      return new ConfigError([`${portSetting} names a port that this user may not open`]);
    case 'EADDRNOTAVAIL':
      return new ConfigError([`${hostSetting} does not name an address of this machine`]);
    default:
      return new UnavailableError(
        [`${hostSetting} names an address that cannot be listened on (${code})`],
        error,
      );
  }
}
