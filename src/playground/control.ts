import type { CallLog } from './http/call-log.js';
import { json, type Route } from './http/exchange.js';

/** Routes that steer the playground and look into it; they stand on its own listener only. */
export function controlRoutes(parts: { calls: CallLog }): Route[] {
  return [
    {
      name: 'control',
      path: '/playground/calls',
      methods: ['GET'],
      openToBrowsers: true,
      handle: ({ query }) => {
        const filter: Record<string, string> = {};
        for (const name of ['sessionId', 'requestId', 'route']) {
          const value = query.get(name);
          if (value !== null) filter[name] = value;
        }
        return json(200, { calls: parts.calls.list(filter) });
      },
    },
  ];
}
