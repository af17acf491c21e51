/**
 * For back ends on Node: verifies the service's deliveries of events, calls registered operations as a machine, and fetches
 * files.
 * @packageDocumentation
 */
export { verifyDelivery, DeliveryRefused } from './verify-delivery.js';
export type { DeliveryRequest, VerifyOptions } from './verify-delivery.js';
export type * from './deliveries.js';
export type * from './event-types.js';
export { MachineClient } from './machine-client.js';
export type { CallOptions, GetMachineToken, MachineOptions } from './machine-client.js';
export { clientCredentials } from './client-credentials.js';
export type { ClientCredentials } from './client-credentials.js';
export { BffError } from '../bff-error.js';
