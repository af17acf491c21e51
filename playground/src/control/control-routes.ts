import type { GraphQLSchema } from 'graphql';
import type { Background } from '../background.js';
import { EVENT_TYPES, type EventType } from '../data/records.js';
import type { EventWish } from '../happenings/event-maker.js';
import { FAULT_MEMBERS, type Fault } from '../faults/fault.js';
import type { Faults } from '../faults/faults.js';
import type { BucketRule, RateLimits } from '../faults/rate-limits.js';
import type { CallLog } from '../http/call-log.js';
import { isRecord, json, ROUTE_NAMES, type Answer, type Incoming, type Route } from '../http/exchange.js';
import type { Partner, Partners } from '../partners/partners.js';
import type { PlaygroundClock } from '../playground-clock.js';
import { SCOPES } from '../tokens/scopes.js';
import { DEFAULT_SWITCHES, faultOfSwitch, type Switches } from '../switches.js';
import type { TokenFilter, Tokens } from '../tokens/tokens.js';
import { clockControl } from './clock-control.js';
import type { Control } from './control.js';
import { happeningControls } from './happening-controls.js';
import { webhookControls } from './webhook-controls.js';
import { ControlError, COUNT, LIFETIME_SECONDS, readMembers, type MemberType } from './read-members.js';

/** The parts that the control routes act on. */
export interface ControlParts {
  readonly schema: GraphQLSchema;
  readonly background: Background;
  readonly partners: Partners;
  readonly tokens: Tokens;
  readonly calls: CallLog;
  readonly faults: Faults;
  readonly rateLimits: RateLimits;
  readonly clock: PlaygroundClock;
  readonly switches: Switches;
}

/** The same, with the partner that a request is about. */
type PartnerParts = ControlParts & Partner;

/**
 * Routes under `/playground/` that control and inspect the playground, on its own listener only. `?partner` names the
 * client that a request is about, where there are several.
 */
export function controlRoutes(parts: ControlParts): Route[] {
  const { partners } = parts;
  const controlsOf = new Map(
    partners.list().map((partner) => [partner.client.clientId, makeControls({ ...parts, ...partner })]),
  );
  const firstId = partners.first.client.clientId;
  return Object.entries(controlsOf.get(firstId) ?? {}).map(([name, { GET, POST, DELETE }]) => ({
    name: 'control',
    path: `/playground/${name}`,
    methods: Object.entries({ GET, POST, DELETE }).flatMap(([method, run]) =>
      run === undefined ? [] : [method],
    ),
    // Reading the call log is for the demo page; everything else is for callers on this machine.
    openToBrowsers: name === 'calls' ? true : undefined,
    handle: (incoming) => {
      const clientId = incoming.query.get('partner') ?? firstId;
      const control = controlsOf.get(clientId)?.[name];
      return control === undefined
        ? json(400, { message: 'There is no such partner.' })
        : run(control, incoming);
    },
  }));
}

function makeControls(parts: PartnerParts): Record<string, Control> {
  return {
    calls: callsControl(parts),
    faults: faultsControl(parts),
    'rate-limits': rateLimitsControl(parts),
    switches: switchesControl(parts),
    clock: clockControl(parts),
    failures: failuresControl(parts),
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

function failuresControl({ background }: ControlParts): Control {
  return {
    GET: () => ({ failures: background.failures() }),
    DELETE: () => {
      background.clear();
      return { failures: [] };
    },
  };
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

function rateLimitsControl({ rateLimits, schema }: ControlParts): Control {
  return {
    GET: () => rateLimits.current,
    POST: (incoming) => {
      const { rules } = readMembers(incoming, { rules: 'object' });
      rateLimits.set(readRules(rules, schema));
      return rateLimits.current;
    },
    DELETE: () => {
      rateLimits.set({});
      return rateLimits.current;
    },
  };
}

const LIMITED_ROUTES = ROUTE_NAMES.filter((name) => name !== 'control' && name !== 'page');

function readRules(rules: unknown, schema: GraphQLSchema): Record<string, BucketRule> {
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
  for (const name of Object.keys(rules)) {
    if (isLimitable(name, schema)) continue;
    throw new ControlError(
      `${name} is neither *, nor a root field such as Query.self, nor one of ${LIMITED_ROUTES.join(', ')}.`,
    );
  }
  return rules as Record<string, BucketRule>;
}

function isLimitable(name: string, schema: GraphQLSchema): boolean {
  const [type, field = ''] = name.split('.');
  const root = [schema.getQueryType(), schema.getMutationType()].find((known) => known?.name === type);
  return (
    name === '*' || LIMITED_ROUTES.some((route) => route === name) || root?.getFields()[field] !== undefined
  );
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

/** Issues a token outside the usual flow, for manual tests. */
function issueToken(incoming: Incoming, { tokens, world, switches, client }: PartnerParts): object {
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
      access_token: tokens.issuePartner(seconds, client.clientId),
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
    access_token: tokens.issueBrowser(grant, seconds, client.clientId),
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

function emitEvents(incoming: Incoming, { events }: PartnerParts): object {
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

function setRate(incoming: Incoming, { events }: PartnerParts): object {
  const { perMinute } = readMembers(incoming, { perMinute: { min: 0, max: PER_MINUTE_MAX } });
  events.setRate(typeof perMinute === 'number' ? perMinute : 0);
  return { perMinute: perMinute ?? 0 };
}
