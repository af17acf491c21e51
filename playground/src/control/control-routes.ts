import type { FastifyRequest, RouteOptions } from 'fastify';
import type { Playground } from '../playground-handle.js';
import { CONTROLS } from './controls.js';

/** Routes under `/playground/` that control and inspect the playground, on its own listener only. */
export function controlRoutes(playground: Playground): RouteOptions[] {
  return Object.entries(CONTROLS).flatMap(([name, control]) => {
    const { members, required = [], openToBrowsers = false, ...methods } = control;
    const body = { type: 'object', additionalProperties: false, required, properties: members ?? {} };
    return Object.entries(methods).map(([method, run]): RouteOptions => {
      const handler = (request: FastifyRequest): object =>
        run(playground, (method === 'POST' ? request.body : request.query) as never);
      const schema = method === 'POST' ? { body } : {};
      return {
        method,
        url: `/playground/${name}`,
        config: { name: 'control', openToBrowsers },
        schema,
        handler,
      };
    });
  });
}
