import { Global, Module } from '@nestjs/common';
import { Routes } from './routes.js';

/**
 * HTTP: what all requests have in common, incoming and outgoing. Public interface: `RequestContext`, {@link Routes},
 * `exchange`. Requests are bounded before the caller is authenticated; a body reaches its route as bytes.
 */
@Global()
@Module({ providers: [Routes], exports: [Routes] })
export class HttpModule {}
