import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../config.js';
import { SHIPPED } from '../settings/proxy.js';

const { W_OK, X_OK } = constants;
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** The settings that say where listeners are opened, those of the playground too where there is one. */
export type ListenerSettings = Pick<
  Config,
  'PORT' | 'HOST' | 'OPS_PORT' | 'OPS_HOST' | 'PLAYGROUND_PORT' | 'playground'
>;

/** A listener of this process. */
export interface Place {
  readonly name: string;
  readonly port: number;
  readonly host: string;
}

/** A fault for each two listeners of this process that want the same port. Port 0 is any that is free. */
export function portFaults(settings: ListenerSettings): string[] {
  const places = placesOf(settings);
  return places.flatMap((place, index) =>
    places
      .slice(0, index)
      .filter((other) => collide(place, other))
      .map(
        (other) =>
          `${place.name}${place.name.includes(',') ? ',' : ''} is the same as ${other.name}; choose another`,
      ),
  );
}

/** The listeners of this process, by their settings. */
export function placesOf({
  PORT,
  HOST,
  OPS_PORT,
  OPS_HOST,
  PLAYGROUND_PORT,
  playground,
}: ListenerSettings): Place[] {
  const places = [
    { name: 'PORT', port: PORT, host: HOST },
    { name: 'OPS_PORT', port: OPS_PORT, host: OPS_HOST },
  ];
  if (!playground || PLAYGROUND_PORT === 0) return places;
  const host = '127.0.0.1';
  return [
    ...places,
    { name: 'PLAYGROUND_PORT', port: PLAYGROUND_PORT, host },
    { name: 'PLAYGROUND_PORT, plus one for the issuer', port: PLAYGROUND_PORT + 1, host },
  ];
}

function collide(one: Place, other: Place): boolean {
  const shareAddress =
    one.host === other.host || [one.host, other.host].some((host) => EVERY_ADDRESS.includes(host));
  return one.port !== 0 && one.port === other.port && shareAddress;
}

/** A fault for each folder that cannot be used. */
export function folderFaults({ DATABASE_URL, DATA_DIR, OPERATIONS_DIR }: Config): string[] {
  const isStoredHere = DATABASE_URL === undefined && DATA_DIR !== ':memory:';
  const data = isStoredHere ? writeFault(DATA_DIR) : undefined;
  const operations = OPERATIONS_DIR.map((folder) => (folder === SHIPPED ? undefined : readFault(folder)));
  return [
    ...(data === undefined ? [] : [`DATA_DIR ${data}`]),
    ...operations.flatMap((fault, index) =>
      fault === undefined ? [] : [`OPERATIONS_DIR folder ${index + 1} ${fault}`],
    ),
  ];
}

/** Why the files of a folder cannot be listed, or undefined. */
function readFault(folder: string): string | undefined {
  try {
    readdirSync(folder);
    return undefined;
  } catch (error) {
    return `cannot be read (${codeOf(error)})`;
  }
}

/** Why no files can be kept in a folder, or undefined. A missing one is fine where it can be made; nothing is made here. */
function writeFault(folder: string): string | undefined {
  try {
    accessSync(existingPart(resolve(folder)), W_OK | X_OK);
    return undefined;
  } catch (error) {
    return `cannot be written to (${codeOf(error)})`;
  }
}

/** The folder, or the nearest one above it that exists. */
function existingPart(folder: string): string {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return existingPart(dirname(folder));
  if (stats.isDirectory()) return folder;
  throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
