import { MEMBER_PLACE } from '../../json/member-at.js';
import { KEY, readKey } from '../values/keys.js';
import {
  list,
  oneOf,
  readParts,
  setting,
  textLike,
  url,
  type Reading,
  type Setting,
} from '../values/setting.js';

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/; // RFC 6749 section 3.3, scope-token
const ROLE = /^([\w.:-]{1,64})\s*=(.*)$/s;

/** Settings of memberships and roles. */
export const HIRER_ACCESS = {
  HIRER_ACCESS: oneOf(['database', 'claim', 'http'], {
    fallback: 'database',
    text: 'Source of the hirers a user belongs to: our database, a claim of the end-user token, or your own service.',
  }),
  HIRER_ACCESS_CLAIM: textLike('claim name or JSON pointer', MEMBER_PLACE, {
    fallback: 'hirers',
    text: 'Claim that holds the memberships: an array of hirer ids, or of `{"hirerId", "roles"}`. At most 100. A claim within others is a JSON pointer (RFC 6901), such as `/resource_access/bff/hirers`.',
  }),
  HIRER_ACCESS_URL: url(['http', 'https'], {
    plainHttp: true, // of `HTTP_HOSTS`, see `plainHttpFaults`
    fallback: undefined,
    text: 'Service that is asked for memberships. Required with `HIRER_ACCESS=http`.',
  }),
  HIRER_ACCESS_SECRET: setting(KEY, readKey, {
    fallback: undefined,
    secret: true,
    text: 'Key of the `X-Signature` header (HMAC-SHA-256, hex) of each request to `HIRER_ACCESS_URL`.',
  }),
  ALLOWED_SCOPES: list('scopes', SCOPE, {
    fallback: ['query:ontologies', 'query:ad-products', 'query:organizations'], // those of interface 2.1
    text: 'Scopes that browser tokens may carry at all.',
  }),
  ROLE_SCOPES: setting('`role=scope scope`, separated by semicolons', readRoleScopes, {
    fallback: undefined,
    hasLines: true,
    text: 'Scopes of roles. When unset, every role may ask for every allowed scope. When set, a role that is not listed has no scope, except `member`, which has every allowed scope unless it is listed. Names are compared exactly.',
  }),
} as const satisfies Record<string, Setting<unknown>>;

function readRoleScopes(raw: string): Reading<ReadonlyMap<string, readonly string[]>> {
  const named = new Set<string>();
  const entries = raw.split(';').map((entry) => entry.trim());
  const reading = readParts(entries, 'entry', (entry) => {
    if (entry === '') return { value: undefined };
    const [, role, list] = ROLE.exec(entry) ?? [];
    if (role === undefined || list === undefined) return { fault: 'must be written as role=scope scope' };
    if (named.has(role)) {
      return { fault: 'names a role for the second time; write all its scopes in one entry' };
    }
    named.add(role);
    return { value: [role, list.split(/\s+/).filter((scope) => scope !== '')] as const };
  });
  if ('fault' in reading) return reading;
  return { value: new Map(reading.value.filter((entry) => entry !== undefined)) };
}
