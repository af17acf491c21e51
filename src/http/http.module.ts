import { Global, Module } from '@nestjs/common';
import { Routes } from './routes.js';

/**
 * HTTP: what every request has in common, coming in or going out. Public interface: `RequestContext`, {@link Routes},
 * `exchange`. Bounds hold before the caller is known; a body reaches its route as bytes.
 */
@Global()
@Module({ providers: [Routes], exports: [Routes] })
export class HttpModule {}
