import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { DeliveryRefused, verifyDelivery } from '../src/server/server.js';

const SECRETS = [randomBytes(32), randomBytes(24)].map((key) => `whsec_${key.toString('base64')}`);
const [SECRET, OTHER] = SECRETS as [string, string];
const NOW = Date.parse('2026-01-02T03:04:05Z');
const BODY = JSON.stringify({
  type: 'CandidateApplicationCreated',
  timestamp: '2026-01-02T03:04:05.678Z',
  data: { id: 'e1', candidateId: 'c1', hirerId: 'h1' },
});

interface Sent {
  readonly headers: Record<string, string>;
  readonly body: string;
}

function signed(secret: string, body = BODY, atMs = NOW): Sent {
  const id = 'e1';
  return {
    body,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(atMs / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, new Date(atMs), body),
    },
  };
}

const verify = (request: { headers: object; body: unknown }, secrets: string | readonly string[] = SECRET) =>
  verifyDelivery(request as Sent, secrets, { now: () => NOW });

/** The code of the refusal. */
function refusalOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof DeliveryRefused) return error.code;
    throw error;
  }
  return 'accepted';
}

describe('verifyDelivery', () => {
  const sent = signed(SECRET);
  const header = (name: string, value: string | undefined) => ({
    ...sent,
    headers: { ...sent.headers, [name]: value },
  });

  test('reads what a Standard Webhooks library signed', () => {
    const { type, ...rest } = verify(sent);
    expect({ type: String(type), ...rest }).toEqual({
      id: 'e1',
      type: 'CandidateApplicationCreated',
      timestamp: '2026-01-02T03:04:05.678Z',
      data: { id: 'e1', candidateId: 'c1', hirerId: 'h1' },
      repeat: undefined,
    });
  });

  test('takes the body as bytes, and the headers as Fetch has them', () => {
    expect(verify({ headers: new Headers(sent.headers), body: Buffer.from(sent.body) }).id).toBe('e1');
    const bytes = new TextEncoder().encode(sent.body);
    expect(verify({ headers: sent.headers, body: bytes }).id).toBe('e1');
    expect(verify({ headers: sent.headers, body: bytes.buffer }).id).toBe('e1');
  });

  test('finds the headers however their names are written', () => {
    const headers = Object.fromEntries(
      Object.entries(sent.headers).map(([name, value]) => [
        name.replace('webhook', 'Webhook').toUpperCase(),
        value,
      ]),
    );
    expect(verify({ headers: { ...headers, 'WEBHOOK-REPEAT': 'operator' }, body: sent.body })).toMatchObject({
      id: 'e1',
      repeat: 'operator',
    });
  });

  test('refuses a header that is given under two spellings: a proxy may have looked at the other', () => {
    const headers = { ...sent.headers, 'Webhook-Id': 'e2' };
    expect(refusalOf(() => verify({ headers, body: sent.body }))).toBe('bad_headers');
  });

  test('accepts one signature of several under one secret of several, so that both sides can rotate', () => {
    expect(verify(sent, [OTHER, SECRET]).id).toBe('e1');
    const both = `${signed(OTHER).headers['webhook-signature']} ${sent.headers['webhook-signature']}`;
    expect(verify(header('webhook-signature', both)).id).toBe('e1');
  });

  test('tells a repeat, and whose', () => {
    expect(verify(header('webhook-repeat', 'true')).repeat).toBe('upstream');
    expect(verify(header('webhook-repeat', 'operator')).repeat).toBe('operator');
  });

  const mac = (key: Buffer) =>
    createHmac('sha256', key)
      .update(`e1.${NOW / 1000}.${BODY}`)
      .digest('base64');
  test.each([
    ['another secret', 'bad_signature', () => verify(sent, OTHER)],
    ['no secret', 'bad_signature', () => verify(sent, [])],
    ['a changed byte', 'bad_signature', () => verify({ ...sent, body: sent.body.replace('c1', 'c2') })],
    ['another id', 'bad_signature', () => verify(header('webhook-id', 'e2'))],
    ['another time', 'bad_signature', () => verify(header('webhook-timestamp', String(NOW / 1000 + 1)))],
    [
      'a signature cut short',
      'bad_signature',
      () => verify(header('webhook-signature', sent.headers['webhook-signature']!.slice(0, -8))),
    ],
    [
      'another version of signatures',
      'bad_signature',
      () => verify(header('webhook-signature', `v2,${mac(Buffer.from(SECRET.slice(6), 'base64'))}`)),
    ],
    ['an empty signature', 'bad_headers', () => verify(header('webhook-signature', ''))],
    ['no id', 'bad_headers', () => verify(header('webhook-id', undefined))],
    ['a time that is none', 'bad_headers', () => verify(header('webhook-timestamp', 'soon'))],
    ['a delivery of six minutes ago', 'bad_timestamp', () => verify(signed(SECRET, BODY, NOW - 360_000))],
    ['a delivery of the future', 'bad_timestamp', () => verify(signed(SECRET, BODY, NOW + 360_000))],
    ['a body that is no JSON', 'bad_body', () => verify(signed(SECRET, 'hello'))],
    ['a body of another form', 'bad_body', () => verify(signed(SECRET, '{"type": "X", "data": {}}'))],
  ])('refuses %s', (_name, code, run) => {
    expect(refusalOf(run)).toBe(code);
  });

  test('accepts an old delivery where the tolerance is wider', () => {
    const old = signed(SECRET, BODY, NOW - 360_000);
    expect(verifyDelivery(old, SECRET, { now: () => NOW, toleranceSeconds: 400 }).id).toBe('e1');
  });

  test('a tolerance that is no number accepts nothing', () => {
    const options = { now: () => NOW, toleranceSeconds: Number(undefined) };
    expect(refusalOf(() => verifyDelivery(sent, SECRET, options))).toBe('bad_timestamp');
  });

  test('reports a parsed body or a malformed secret as a mistake of the caller', () => {
    expect(() => verify({ ...sent, body: JSON.parse(sent.body) })).toThrow('before any parser');
    expect(() => verify(sent, 'whsec_c2hvcnQ=')).toThrow('24 bytes');
  });
});
