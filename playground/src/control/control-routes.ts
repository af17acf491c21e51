import { EVENT_TYPES, type EventType } from '../data/records.js';
import type { EventWish } from '../happenings/event-maker.js';
import { FAULT_MEMBERS, type Fault } from '../faults/fault.js';
import type { Faults } from '../faults/faults.js';
import type { CallLog } from '../http/call-log.js';
import { json, ROUTE_NAMES, type Answer, type Incoming, type Route } from '../http/exchange.js';
import type { Partner } from '../partner.js';
import type { PlaygroundClock } from '../playground-clock.js';
import { SCOPES } from '../tokens/scopes.js';
import { DEFAULT_SWITCHES, faultOfSwitch, type Switches } from '../switches.js';
import type { TokenFilter, Tokens } from '../tokens/tokens.js';
import { clockControl } from './clock-control.js';
import { happeningControls } from './happening-controls.js';
import { webhookControls } from './webhook-controls.js';
import {
  ControlError,
  COUNT,
  LIFETIME_SECONDS,
  readMembers,
  type MemberType,
  type Control,
} from './read-members.js';

/** The parts that the control routes act on. */
export interface ControlParts extends Partner {
  readonly tokens: Tokens;
  readonly calls: CallLog;
  readonly faults: Faults;
  readonly clock: PlaygroundClock;
  readonly switches: Switches;
}

/** Routes under `/playground/` that control and inspect the playground, on its own listener only. */
export function controlRoutes(parts: ControlParts): Route[] {
  return Object.entries(makeControls(parts)).map(([name, control]) => ({
    name: 'control',
    path: `/playground/${name}`,
    methods: Object.keys(control),
    // Reading the call log is for the demo page; everything else is for callers on this machine.
    openToBrowsers: name === 'calls' ? true : undefined,
    handle: (incoming) => run(control, incoming),
  }));
}

function makeControls(parts: ControlParts): Record<string, Control> {
  return {
    calls: callsControl(parts),
    faults: faultsControl(parts),
    switches: switchesControl(parts),
    clock: clockControl(parts),
    tokens: { POST: (incoming) => issueToken(incoming, parts) },
    'tokens/expire': { POST: (incoming) => ({ expired: parts.tokens.expire(readTokenFilter(incoming)) }) },
    'tokens/revoke': { POST: (incoming) => ({ revoked: parts.tokens.revoke(readTokenFilter(incoming)) }) },
    ...happeningControls(parts),
    events: { POST: (incoming) => emitEvents(incoming, parts) },
    'events/rate': { POST: (incoming) => setRate(incoming, parts) },
    ...webhookControls(parts),
  };
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

function switchesControl({ switches }: ControlParts): Control {
  const atStart = { ...switches };
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
    DELETE: () => Object.assign(switches, atStart),
  };
}

/** Issues a token outside the usual flow, for manual tests. */
function issueToken(incoming: Incoming, { tokens, world, switches }: ControlParts): object {
  const members = readMembers(incoming, {
    kind: 'string',
    hirerId: 'string',
    scope: 'string',
    expiresInSeconds: LIFETIME_SECONDS,
  });
  const { kind, hirerId, scope, expiresInSeconds } = members as Record<string, string> & {
    expiresInSeconds?: number;
  };
  if (kind === 'partner') {
    const seconds = expiresInSeconds ?? switches.partnerTokenSeconds;
    return {
      access_token: tokens.issuePartner(seconds),
      expires_in: seconds,
      token_type: 'Bearer',
    };
  }
  if (kind !== 'browser') throw new ControlError('kind must be partner or browser.');
  const seconds = expiresInSeconds ?? switches.browserTokenSeconds;
  const grant = {
    hirerId: hirerId ?? [...world().hirers.keys()][0] ?? '',
    scopes: new Set(scope?.split(' ') ?? SCOPES),
    userId: 'playground',
  };
  return {
    access_token: tokens.issueBrowser(grant, seconds),
    expires_in: seconds,
    token_type: 'Bearer',
  };
}

function readTokenFilter(incoming: Incoming): TokenFilter {
  return readMembers(incoming, { kind: 'string', hirerId: 'string' });
}

/** Ten years: longer than any event is kept. */
const LATE_MS_MAX = 3_650 * 86_400_000;
/** One each millisecond. */
const PER_MINUTE_MAX = 60_000;

function emitEvents(incoming: Incoming, { events }: ControlParts): object {
  const { type, count, ...wish } = readMembers(incoming, {
    type: 'string',
    count: COUNT,
    hirerId: 'string',
    lateMs: { min: -LATE_MS_MAX, max: LATE_MS_MAX },
    relationships: 'strings',
    members: 'texts',
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
  const { perMinute } = readMembers(incoming, { perMinute: { min: 0, max: PER_MINUTE_MAX } });
  events.setRate(typeof perMinute === 'number' ? perMinute : 0);
  return { perMinute: perMinute ?? 0 };
}
