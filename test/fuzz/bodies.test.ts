import fc from 'fast-check';
import { isIdentifier, isHirerId } from '../../src/http/end-user.js';
import { BffError } from '../../src/errors/bff-error.js';
import { isRole } from '../../src/hirer-access/membership.js';
import {
  MembershipBody,
  MembershipPath,
  MembershipQuery,
} from '../../src/hirer-access/memberships.controller.js';
import { readPair } from '../../src/hirer-access/sources/sql-memberships.js';
import { validate } from '../../src/errors/validate.js';
import { parseJsonObject } from '../../src/json/parse-json.js';
import { readTokenRequest } from '../../src/token/browser-token.controller.js';
import { readEventFilter } from '../../src/webhooks/events.ops.dto.js';
import { readWebhookBody } from '../../src/webhooks/webhook-event.js';
import {
  DEEP_JSON,
  JSON_PIECES,
  SPECIAL_NAMES,
  anyJsonBytes,
  arrayText,
  awkwardText,
  numberText,
  objectLike,
  quoted,
  stringText,
  bytesOf,
} from './generators/json-texts.js';
import { growsLinearly } from './growth.js';
import { readOrRefuse, target } from './target.js';

const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';
const hirerId = fc.oneof({ weight: 3, arbitrary: fc.constant(HIRER) }, awkwardText);
const scopeText = fc.oneof(
  fc
    .array(fc.constantFrom('query:ontologies', 'query:organizations', 'x'), { maxLength: 12 })
    .map((all) => all.join(' ')),
  awkwardText,
);
const tokenRequest = objectLike({ hirerId: quoted(hirerId), scope: quoted(scopeText) });
const rolesBody = objectLike({
  roles: fc.array(quoted(fc.oneof(fc.constant('member'), awkwardText))).map((all) => `[${all.join(',')}]`),
});

/** Bodies made of such a text, and any others. */
function bodyOf(text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc.oneof({ weight: 4, arbitrary: text.map(bytesOf) }, anyJsonBytes);
}

const readMembershipRoles = (body: unknown) => validate(MembershipBody, parseJsonObject(body)).roles;

function readToken(bytes: Buffer) {
  return readOrRefuse(['invalid_request'], () => readTokenRequest(bytes));
}

/** Characters of a refusal as the caller reads it; 0 for what was read. */
function refusalLength(read: () => unknown): number {
  try {
    read();
    return 0;
  } catch (error) {
    return error instanceof BffError ? JSON.stringify([error.detail, error.details.errors]).length : 0;
  }
}

target(
  'JSON bodies of our own routes',
  {
    'a token request is read or refused as invalid': fc.property(bodyOf(tokenRequest), (bytes) => {
      const request = readToken(bytes);
      if (!request) return;
      expect(isHirerId(request.hirerId)).toBe(true);
      expect(request.scopes).toEqual([...new Set(request.scopes)].sort());
      expect(request.scopes.length >= 1 && request.scopes.length <= 10).toBe(true);
    }),
    'roles are read or refused as invalid': fc.property(bodyOf(rolesBody), (bytes) => {
      const roles = readOrRefuse(['invalid_request'], () => readMembershipRoles(bytes));
      expect(roles?.every(isRole) ?? true).toBe(true);
    }),
    'a refusal is no longer than a few times the body': fc.property(
      fc.array(fc.tuple(quoted(awkwardText), numberText), { maxLength: 200, size: 'medium' }),
      (members) => {
        const body = Buffer.from(`{${members.map((member) => member.join(':')).join(',')}}`);
        for (const read of [readTokenRequest, readMembershipRoles]) {
          expect(refusalLength(() => read(body))).toBeLessThan(2_000 + 5 * body.length);
        }
      },
    ),
  },
  {
    growth: growsLinearly([...JSON_PIECES, 'a ', ' a'], (text) => {
      readToken(Buffer.from(text));
      readToken(Buffer.from(JSON.stringify({ hirerId: text, scope: text })));
    }),
  },
);

const eventText = objectLike({
  id: quoted(fc.oneof(fc.constant('seekAnzPublicTest:event:events:1'), awkwardText)),
  type: quoted(fc.oneof(fc.constant('PositionProfilePosted'), awkwardText)),
  createDateTime: quoted(
    fc.constantFrom('2026-01-02T03:04:05.678Z', '2026-01-02 (\0)', '2026-01-02 (\ud800)', 'soon'),
  ),
  hirerId: quoted(hirerId),
  number: numberText,
});
const webhookText = objectLike({
  events: fc.oneof(
    fc.array(eventText, { maxLength: 3 }).map((events) => `[${events.join(',')}]`),
    arrayText,
    fc.constantFrom('[1.50]', '[{}]', '[[]]'),
  ),
  subscriptionId: stringText,
});

target(
  'webhook bodies',
  {
    'a body is read or refused, and each of its events can be stored and sent on': fc.property(
      bodyOf(webhookText),
      (bytes) => {
        const body = readOrRefuse(['invalid_request'], () => readWebhookBody(bytes));
        for (const { id, type, hirerId: hirer, createDateTime, payload } of body?.events ?? []) {
          expect(JSON.parse(payload)).toEqual(expect.any(Object));
          expect([id, type, hirer ?? '', createDateTime ?? ''].join('')).not.toMatch(/\p{Cc}|\p{Cs}/u);
        }
      },
    ),
    'events keep every member and number': fc.property(fc.array(eventText, { maxLength: 3 }), (events) => {
      const body = readOrRefuse(['invalid_request'], () =>
        readWebhookBody(Buffer.from(`{"events":[${events.join(',')}]}`)),
      );
      expect(body?.events.map(({ payload }) => JSON.parse(payload))).toEqual(
        events.map((event) => JSON.parse(event)),
      );
    }),
  },
  { growth: growsLinearly(JSON_PIECES, (text) => readWebhookBody(Buffer.from(`{"events":[${text}]}`))) },
);

const cursor = fc.oneof(
  fc.tuple(awkwardText, awkwardText).map((pair) => Buffer.from(JSON.stringify(pair)).toString('base64url')),
  fc.nat().map(String),
);

/** Parameters as a query string is read to: without a prototype, a repeated one as a list, and now and then another. */
function queryOf(...names: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const value = fc.oneof(
    awkwardText,
    cursor,
    fc.constantFrom('true', 'pending', HIRER),
    fc.array(awkwardText, { maxLength: 2 }),
  );
  const other = fc.tuple(fc.constantFrom(...SPECIAL_NAMES, 'other'), value);
  return fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
      fc.array(value, { minLength: 2 }),
      fc.option(other, { freq: 5 }),
    )
    .map(([known, values, more]) => {
      const query = Object.create(null) as Record<string, unknown>;
      known.forEach((name, index) => (query[name] = values[index]));
      if (more) query[more[0]] = more[1];
      return query;
    });
}

/** True if a database of either kind can be queried for the text. */
function expectStorable(...texts: readonly unknown[]): void {
  for (const text of texts) {
    if (typeof text === 'string') expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
  }
}

target('parameters of ops routes', {
  'filters of memberships are read or refused, and fit for a database': fc.property(
    queryOf('user', 'hirer', 'after'),
    (given) => {
      const filter = readOrRefuse(['invalid_request'], () => validate(MembershipQuery, given));
      const after = filter?.after === undefined ? [] : readPair(filter.after)!;
      expectStorable(filter?.user, filter?.hirer, ...after);
    },
  ),
  'filters of events are read or refused, and fit for a database': fc.property(
    queryOf('state', 'type', 'hirer', 'after'),
    (given) => {
      const filter = readOrRefuse(['invalid_request'], () => readEventFilter(given));
      expectStorable(filter?.type, filter?.hirer);
    },
  ),
  'a membership is named by a path or refused': fc.property(
    fc.record({ user: awkwardText, hirerId: fc.oneof(hirerId, awkwardText) }),
    (path) => {
      const named = readOrRefuse(['invalid_request'], () => validate(MembershipPath, path));
      if (named) expect([isIdentifier(named.user), isHirerId(named.hirerId)]).toEqual([true, true]);
    },
  ),
});

test.each(Object.entries(DEEP_JSON))('an %s deeper than the stack is refused in any body', (_kind, deep) => {
  const bodies = [`{"events":[{"a":${deep}}]}`, `{"hirerId":${deep},"scope":${deep}}`, `{"roles":${deep}}`];
  for (const body of bodies.map(bytesOf)) {
    for (const read of [readWebhookBody, readTokenRequest, readMembershipRoles]) {
      expect(readOrRefuse(['invalid_request'], () => read(body))).toBeUndefined();
    }
  }
});
