/** The settings that say where listeners are opened. */
export interface ListenerSettings {
  readonly PORT: number;
  readonly HOST: string;
  readonly OPS_PORT: number;
  readonly OPS_HOST: string;
  readonly PLAYGROUND_PORT: number;
  /** True if the playground's two listeners are opened, too. */
  readonly playground: boolean;
}

/** A listener of this process. */
export interface Place {
  readonly name: string;
  readonly port: number;
  readonly host: string;
}

const EVERY_ADDRESS = ['0.0.0.0', '::'];

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
