import { LATE, within } from '../../concurrency/within.js';
import { ConfigError, readSetting, type Environment } from '../../config/load-config.js';
import { CommandFault, MISUSED } from '../command.js';
import { StoreRoutes, type RouteRequest } from './store-routes.js';

/** Until an answer begins: long enough for a backup. */
const TIMEOUT_MS = 300_000;
const LOOK_MS = 2_000;

/** The ops listener, where the command line names one. */
interface OpsPlace {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
}

/**
 * Works on the store, by the routes of the running service; where none answers and none was named, by those of the store
 * itself, which the settings of the service name.
 * @throws CommandFault, ConfigError, UnavailableError
 */
export async function withStore<T>(
  place: OpsPlace,
  environment: Environment,
  work: (store: StoreRoutes) => Promise<T>,
): Promise<T> {
  const service = RunningService.at(place, environment);
  if (await service.isThere()) return work(service);
  if (place.host !== undefined || place.port !== undefined) throw service.absence();
  const { StoreAtRest } = await import('./store-at-rest.js');
  const store = await StoreAtRest.open(environment, service.absence());
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export class RunningService extends StoreRoutes {
  private constructor(
    readonly origin: string,
    private readonly token: string | undefined,
  ) {
    super();
  }

  /** @throws ConfigError for settings of the ops listener that are wrong; CommandFault for a place that is none */
  static at(place: OpsPlace, environment: Environment): RunningService {
    const faults: string[] = [];
    const host = place.host ?? (readSetting('OPS_HOST', environment, faults) as string);
    const port = place.port ?? (readSetting('OPS_PORT', environment, faults) as number);
    const token = readSetting('OPS_TOKEN', environment, faults) as string | undefined;
    if (faults.length > 0) throw new ConfigError(faults);
    const name = reachable(host);
    const origin = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
    if (!URL.canParse(origin)) throw new CommandFault(`${origin} is not an address.`, MISUSED);
    return new RunningService(origin, token);
  }

  async isThere(): Promise<boolean> {
    const signal = AbortSignal.timeout(LOOK_MS);
    const answer = await fetch(`${this.origin}/livez`, { redirect: 'error', signal }).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.ok === true;
  }

  protected override async send(path: string, { headers, ...request }: RouteRequest): Promise<Response> {
    const authorization = this.token && { authorization: `Bearer ${this.token}` };
    const options = { ...request, headers: { ...headers, ...authorization }, redirect: 'error' } as const;
    const answer = await within(TIMEOUT_MS, fetch(this.origin + path, options)).catch(() => LATE);
    if (answer === LATE) throw this.absence();
    return answer as Response;
  }

  absence(): CommandFault {
    return new CommandFault(
      `No answer from ${this.origin}. Is the service running, and is that its ops listener?`,
    );
  }
}

/** A listener that is bound to every address takes IPv4 in either case, and many containers have no IPv6 loopback. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}
