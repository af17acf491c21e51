import { hostname } from 'node:os';
import type { Config } from '../config/load-config.js';
import { VERSION } from '../config/version.js';

const SERVICE_NAME = 'partner-bff';

/** How the process names itself in log and traces. */
export interface ServiceIdentity {
  readonly service: string;
  readonly version: string;
  readonly replica: string;
}

/** Settings that name the process. */
export type IdentitySettings = Partial<Pick<Config, 'OTEL_SERVICE_NAME' | 'OTEL_RESOURCE_ATTRIBUTES'>>;

/**
 * The identity in the settings, in OpenTelemetry's order of precedence: a setting of its own, then the resource
 * attributes.
 */
export function identify(settings: IdentitySettings): ServiceIdentity {
  const { OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES: attributes = {} } = settings;
  return {
    service: OTEL_SERVICE_NAME ?? attributes['service.name'] ?? SERVICE_NAME,
    version: VERSION,
    replica: attributes['service.instance.id'] ?? hostname(),
  };
}

/** The process as OpenTelemetry describes it: the attributes of the setting, and the identity. */
export function resourceAttributes(settings: IdentitySettings): Readonly<Record<string, string>> {
  const { service, version, replica } = identify(settings);
  return {
    'service.version': version,
    ...settings.OTEL_RESOURCE_ATTRIBUTES,
    'service.name': service,
    'service.instance.id': replica,
  };
}
