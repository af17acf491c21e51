import type { Environment } from '../../config/load-config.js';
import { RunningService, type OpsPlace } from './running-service.js';
import type { StoreRoutes } from './store-routes.js';

/**
 * The store's routes: those of the running service; where none answers and none was named, of the store itself, which
 * the settings of the service name.
 * @throws CommandFault, ConfigError, UnavailableError
 */
export async function openStore(place: OpsPlace, environment: Environment): Promise<StoreRoutes> {
  const service = RunningService.at(place, environment);
  if (await service.isThere()) return service;
  if (place.host !== undefined || place.port !== undefined) throw service.absence();
  const { StoreAtRest } = await import('./store-at-rest.js');
  return StoreAtRest.open(environment, service.absence());
}
