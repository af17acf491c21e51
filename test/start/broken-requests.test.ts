import { aListener, jsonHead, openRaw, urlOf } from '../support/raw-connection.js';

const ID = '5a1f5c0e-7b1d-4e0c-9d55-0c2f4f6a7b8c';
const withId = (text: string): string => text.replace('\r\n', `\r\nX-Request-Id: ${ID}\r\n`);

let url: string;
let asked = 0;
beforeAll(async () => {
  const listener = aListener();
  listener.post('/echo', () => ({}));
  listener.get('/asked', () => ({ asked: (asked += 1) }));
  url = await urlOf(listener);
});

describe('a request that cannot be read', () => {
  test.each([
    ['431', `GET /echo HTTP/1.1\r\nhost: test\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['400', 'GET /echo HTTP/1.1\r\nhost: test\r\nno colon\r\n\r\n'],
    ['400', `${jsonHead('POST', '/echo')}no size\r\n`],
  ])('is answered %s with the headers of every answer, and its own request id', async (status, text) => {
    const caller = await openRaw(url, withId(text));
    await caller.closed;
    expect(caller.received()).toMatch(`HTTP/1.1 ${status} `);
    expect(caller.received()).toMatch(`\r\nx-request-id: ${ID}\r\ncache-control: no-store\r\n`);
    expect(caller.received()).toMatch(`"requestId":"${ID}"`);
  });

  test.each(['', 'x', ID.slice(1), `${ID}0`, `{${ID}}`])('gets a new id for %j', async (id) => {
    const caller = await openRaw(url, withId('GET /echo HTTP/1.1\r\nno colon\r\n\r\n').replace(ID, id));
    await caller.closed;
    expect(caller.received()).toMatch(/\r\nx-request-id: (?!5a1f)[\da-f-]{36}\r\n/);
  });
});

describe('a request names one host (RFC 9112 section 3.2)', () => {
  test.each([
    ['none', 'HTTP/1.1'],
    ['two', 'HTTP/1.1\r\nhost: test\r\nhost: test'],
  ])('%s is refused as any other fault of a request', async (_name, rest) => {
    const caller = await openRaw(url, `GET /asked ${rest}\r\nX-Request-Id: ${ID}\r\n\r\n`);
    const answer = await caller.receives(/}$/);
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*\r\ncache-control: no-store\r\n/s);
    expect(answer).toMatch(`\r\nx-request-id: ${ID}\r\n`);
    expect(asked).toBe(0);
  });

  test('HTTP/1.0 may name none', async () => {
    const caller = await openRaw(url, 'GET /asked HTTP/1.0\r\n\r\n');
    expect(await caller.receives(/}$/)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
