import { isRecord, parseJson, readContentType, type Incoming } from '../http/exchange.js';

/** What a member of a control request may hold; the plural names are arrays. */
export type MemberType = 'string' | 'number' | 'boolean' | 'object' | 'strings' | 'numbers';

/** An invalid request to a control route; the message is sent to the caller. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}

/** The members of a JSON body, each of the type named; others are refused. */
export function readMembers(
  incoming: Incoming,
  members: Readonly<Record<string, MemberType>>,
): Record<string, unknown> {
  // A type that makes browsers send a preflight, so that a page of another origin cannot control the playground.
  if (readContentType(incoming.headers['content-type']).mediaType !== 'application/json') {
    throw new ControlError('Send application/json.');
  }
  const body = parseJson(incoming.body)?.value;
  if (!isRecord(body)) throw new ControlError('Send a JSON object.');
  for (const [name, value] of Object.entries(body)) {
    const type = Object.hasOwn(members, name) ? members[name] : undefined;
    if (type === undefined) {
      throw new ControlError(`${name} is not known; the members are ${Object.keys(members).join(', ')}.`);
    }
    if (!isOfType(value, type)) throw new ControlError(`${name} has the wrong type: ${type} is wanted.`);
  }
  return body;
}

function isOfType(value: unknown, type: MemberType): boolean {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    case 'object':
      return isRecord(value);
    case 'strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'numbers':
      return Array.isArray(value) && value.every((item) => typeof item === 'number');
  }
}
