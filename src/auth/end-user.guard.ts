import { Inject, Injectable, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import { Reflector, type ModulesContainer } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { BffError } from '../errors/bff-error.js';
import { Authenticator } from './authenticator.js';
import type { EndUser } from './end-user.js';
import { ROUTE_POLICY, type RoutePolicy } from './route-policy.decorator.js';

/** A request that passed the guard of an `@EndUserRoute()`. */
export type AuthenticatedRequest = FastifyRequest & { endUser?: EndUser };

/** Stands before every route of the application. Without a policy a route is shut; without a valid token, too. */
@Injectable()
export class EndUserGuard implements CanActivate {
  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const policy = this.reflector.getAllAndOverride<RoutePolicy | undefined>(ROUTE_POLICY, [
      context.getHandler(),
      context.getClass(),
    ]);
    switch (policy) {
      case 'open':
        return true;
      case 'end-user':
        return this.admit(context.switchToHttp().getRequest<AuthenticatedRequest>());
      case undefined:
        throw new BffError('internal_error', { message: 'the route has no policy' });
      default:
        return policy satisfies never;
    }
  }

  private admit(request: AuthenticatedRequest): boolean | Promise<boolean> {
    const user = this.authenticator.authenticate(request.raw);
    if (user instanceof Promise) return user.then((verified) => this.enter(request, verified));
    return this.enter(request, user);
  }

  private enter(request: AuthenticatedRequest, user: EndUser): true {
    request.endUser = user;
    return true;
  }
}

/** The routes of an application that state no policy, as `Controller.method`. A start with any is refused. */
export function routesWithoutPolicy(modules: ModulesContainer): string[] {
  return [...modules.values()]
    .flatMap((module) => [...module.controllers.values()])
    .flatMap(({ metatype }) => (metatype ? openEndsOf(metatype as Type) : []));
}

const ROUTE_PATH = 'path'; // where Nest keeps the path of a controller and of each handler

function openEndsOf(controller: Type): string[] {
  if (Reflect.hasMetadata(ROUTE_POLICY, controller)) return [];
  return methodsOf(controller.prototype as object)
    .filter(
      ([, method]) => Reflect.hasMetadata(ROUTE_PATH, method) && !Reflect.hasMetadata(ROUTE_POLICY, method),
    )
    .map(([name]) => `${controller.name}.${name}`);
}

/** Own and inherited methods, by name. */
function methodsOf(prototype: object | null): [string, object][] {
  if (prototype === null || prototype === Object.prototype) return [];
  const own = Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, { value }]) =>
    typeof value === 'function' ? [[name, value] as [string, object]] : [],
  );
  return [...own, ...methodsOf(Object.getPrototypeOf(prototype) as object | null)];
}
