import { Global, Module } from '@nestjs/common';
import { DependencyClients } from './outgoing/dependency-client.js';

/**
 * HTTP: what all requests have in common, incoming and outgoing. Public interface: `RequestContext`, `ListenersAdapter`,
 * `HttpClient` and {@link DependencyClients}. Requests are bounded before the caller is authenticated; a body reaches
 * its route as bytes.
 */
@Global()
@Module({ providers: [DependencyClients], exports: [DependencyClients] })
export class HttpModule {}
