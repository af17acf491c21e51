import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BffError } from '../errors/bff-error.js';
import type { EndUser } from './end-user.js';

/** The authenticated {@link EndUser} of a route marked `@EndUserRoute()`. */
export const CurrentUser = createParamDecorator((_data: unknown, context: ExecutionContext): EndUser => {
  const { endUser } = context.switchToHttp().getRequest<FastifyRequest & { endUser?: EndUser }>();
  if (!endUser) {
    throw new BffError('internal_error', { message: 'an open route asked for the current user' });
  }
  return endUser;
});
