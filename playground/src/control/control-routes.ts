import { EVENT_TYPES, type EventType } from '../data/records.js';
import type { World } from '../data/world.js';
import type { EventMaker, EventWish } from '../event-maker.js';
import { FAULT_MEMBERS, type Fault } from '../faults/fault.js';
import type { Faults } from '../faults/faults.js';
import type { BucketRule, RateLimits } from '../faults/rate-limits.js';
import type { CallLog } from '../http/call-log.js';
import { isRecord, json, ROUTE_NAMES, type Answer, type Incoming, type Route } from '../http/exchange.js';
import type { PlaygroundClock } from '../playground-clock.js';
import { SCOPES } from '../scopes.js';
import { DEFAULT_SWITCHES, faultOfSwitch, type Switches } from '../switches.js';
import type { TokenFilter, Tokens } from '../tokens.js';
import type { Control } from './control.js';
import { webhookControls } from './webhook-controls.js';
import { ControlError, readMembers, type MemberType } from './read-members.js';
import type { Webhooks } from '../webhooks/webhooks.js';

/** What the control routes can reach. */
export interface ControlParts {
  readonly world: () => World;
  readonly tokens: Tokens;
  readonly calls: CallLog;
  readonly faults: Faults;
  readonly rateLimits: RateLimits;
  readonly clock: PlaygroundClock;
  readonly switches: Switches;
  readonly webhooks: Webhooks;
  readonly events: EventMaker;
}

/** Routes under `/playground/` that control and inspect the playground, on its own listener only. */
export function controlRoutes(parts: ControlParts): Route[] {
  const controls: Record<string, Control> = {
    calls: callsControl(parts),
    faults: faultsControl(parts),
    'rate-limits': rateLimitsControl(parts),
    switches: switchesControl(parts),
    clock: { POST: (incoming) => setClock(incoming, parts) },
    tokens: { POST: (incoming) => issueToken(incoming, parts) },
    'tokens/expire': { POST: (incoming) => ({ expired: parts.tokens.expire(readTokenFilter(incoming)) }) },
    'tokens/revoke': { POST: (incoming) => ({ revoked: parts.tokens.revoke(readTokenFilter(incoming)) }) },
    events: { POST: (incoming) => emitEvents(incoming, parts) },
    'events/rate': { POST: (incoming) => setRate(incoming, parts) },
    ...webhookControls(parts),
  };
  return Object.entries(controls).map(([name, control]) => ({
    name: 'control',
    path: `/playground/${name}`,
    methods: Object.keys(control),
    // Reading the call log is for the demo page; everything else is for callers on this machine.
    openToBrowsers: name === 'calls',
    handle: (incoming) => run(control, incoming),
  }));
}

function run(control: Control, incoming: Incoming): Answer {
  try {
    return json(200, control[incoming.method as keyof Control]?.(incoming) ?? {});
  } catch (error) {
    if (error instanceof ControlError || error instanceof RangeError) {
      return json(400, { message: error.message });
    }
    throw error;
  }
}

function callsControl({ calls }: ControlParts): Control {
  return {
    GET: ({ query }) => {
      const filter: Record<string, string> = {};
      for (const name of ['sessionId', 'requestId', 'route']) {
        const value = query.get(name);
        if (value !== null) filter[name] = value;
      }
      return { calls: calls.list(filter) };
    },
  };
}

function faultsControl({ faults }: ControlParts): Control {
  return {
    GET: () => ({ faults: faults.list() }),
    POST: (incoming) => {
      const fault = readMembers(incoming, FAULT_MEMBERS) as Fault;
      if (fault.route !== undefined && !ROUTE_NAMES.includes(fault.route)) {
        throw new ControlError(`route must be one of ${ROUTE_NAMES.join(', ')}.`);
      }
      faults.add(fault);
      return { faults: faults.list() };
    },
    DELETE: () => {
      faults.clear();
      return { faults: faults.list() };
    },
  };
}

function rateLimitsControl({ rateLimits }: ControlParts): Control {
  return {
    GET: () => rateLimits.current,
    POST: (incoming) => {
      const { rules } = readMembers(incoming, { rules: 'object' });
      rateLimits.set(readRules(rules));
      return rateLimits.current;
    },
    DELETE: () => {
      rateLimits.set({});
      return rateLimits.current;
    },
  };
}

function readRules(rules: unknown): Record<string, BucketRule> {
  const isRule = (rule: unknown): boolean =>
    isRecord(rule) &&
    ['bucketSize', 'refillTokens', 'refillPeriodSeconds'].every(
      (name) => typeof rule[name] === 'number' && rule[name] > 0,
    );
  if (!isRecord(rules) || !Object.values(rules).every(isRule)) {
    throw new ControlError(
      'rules must look like {"Query.self": {"bucketSize": 5, "refillTokens": 1, "refillPeriodSeconds": 60}}.',
    );
  }
  return rules as Record<string, BucketRule>;
}

function switchesControl({ switches }: ControlParts): Control {
  const types = Object.fromEntries(
    Object.entries(DEFAULT_SWITCHES).map(([name, value]) => [name, typeof value as MemberType]),
  );
  return {
    GET: () => switches,
    POST: (incoming) => {
      const wanted = readMembers(incoming, types);
      for (const [name, value] of Object.entries(wanted)) {
        const fault = faultOfSwitch(name, value);
        if (fault !== undefined) throw new ControlError(fault);
      }
      return Object.assign(switches, wanted);
    },
    DELETE: () => Object.assign(switches, DEFAULT_SWITCHES),
  };
}

function setClock(incoming: Incoming, { clock }: ControlParts): object {
  const { skewMs } = readMembers(incoming, { skewMs: 'number' });
  clock.skew(typeof skewMs === 'number' ? skewMs : 0);
  return { now: new Date(clock.now()).toISOString() };
}

/** Issues a token outside the usual flow, for trying things by hand. */
function issueToken(incoming: Incoming, { tokens, world, switches }: ControlParts): object {
  const members = readMembers(incoming, {
    kind: 'string',
    hirerId: 'string',
    scope: 'string',
    expiresInSeconds: 'number',
  });
  const { kind, hirerId, scope, expiresInSeconds } = members as Record<string, string> & {
    expiresInSeconds?: number;
  };
  if (kind === 'partner') {
    const seconds = expiresInSeconds ?? switches.partnerTokenSeconds;
    return { access_token: tokens.issuePartner(seconds), expires_in: seconds, token_type: 'Bearer' };
  }
  if (kind !== 'browser') throw new ControlError('kind must be partner or browser.');
  const seconds = expiresInSeconds ?? switches.browserTokenSeconds;
  const grant = {
    hirerId: hirerId ?? [...world().hirers.keys()][0] ?? '',
    scopes: new Set(scope?.split(' ') ?? SCOPES),
    userId: 'playground',
  };
  return { access_token: tokens.issueBrowser(grant, seconds), expires_in: seconds, token_type: 'Bearer' };
}

function readTokenFilter(incoming: Incoming): TokenFilter {
  return readMembers(incoming, { kind: 'string', hirerId: 'string' });
}

function emitEvents(incoming: Incoming, { events }: ControlParts): object {
  const { type, count, ...wish } = readMembers(incoming, {
    type: 'string',
    count: 'number',
    hirerId: 'string',
    lateMs: 'number',
    relationships: 'strings',
    members: 'object',
  });
  if (!EVENT_TYPES.some((known) => known === type)) {
    throw new ControlError(`type must be one of ${EVENT_TYPES.join(', ')}.`);
  }
  const emitted = Array.from({ length: typeof count === 'number' ? count : 1 }, () =>
    events.emit(type as EventType, wish as EventWish),
  );
  return { eventIds: emitted.map(({ id }) => id) };
}

function setRate(incoming: Incoming, { events }: ControlParts): object {
  const { perMinute } = readMembers(incoming, { perMinute: 'number' });
  events.setRate(typeof perMinute === 'number' ? perMinute : 0);
  return { perMinute: perMinute ?? 0 };
}
