import { SetMetadata } from '@nestjs/common';

/** Who may call a route: authenticated end users, or anyone. */
export type RoutePolicy = 'end-user' | 'open';

/** Metadata key of a route's {@link RoutePolicy}. */
export const ROUTE_POLICY = Symbol('ROUTE_POLICY');

/** The route, or every route of the controller, is for authenticated end users. */
export const EndUserRoute = () => SetMetadata(ROUTE_POLICY, 'end-user' satisfies RoutePolicy);

/** The route, or every route of the controller, authenticates by other means, or needs none. */
export const OpenRoute = () => SetMetadata(ROUTE_POLICY, 'open' satisfies RoutePolicy);
