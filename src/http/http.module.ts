import { Global, Module } from '@nestjs/common';
import { DependencyClients } from './outgoing/dependency-client.js';
import { Routes } from './routes.js';

/**
 * HTTP: what all requests have in common, incoming and outgoing. Public interface: `RequestContext`, {@link Routes},
 * `HttpClient` and {@link DependencyClients}. Requests are bounded before the caller is authenticated; a body reaches
 * its route as bytes.
 */
@Global()
@Module({ providers: [Routes, DependencyClients], exports: [Routes, DependencyClients] })
export class HttpModule {}
