import type { ServerResponse } from 'node:http';
import { KeptPartnerTokens } from '../../src/upstream/kept-partner-tokens.js';
import { folderOf } from '../support/machine.js';
import { getAs, askToken, type Answer } from '../support/start-stack.js';
import { tokenOf } from '../support/scripted-upstream.js';
import { BANKSIA, useScriptedStack } from './proxy-stack.js';

const NAME = `query Name($hirerId: String!) @hirer(variable: "hirerId") @token(use: PARTNER) {
  hiringOrganization(id: $hirerId) { name url }
}`;
const FILE = `query File($hirerId: String!) @hirer(variable: "hirerId") @token(use: PARTNER) {
  hiringOrganization(id: $hirerId) { url @attachment }
}`;
const OPERATIONS_DIR = folderOf({ 'name.graphql': NAME, 'file.graphql': FILE });
const BY_NAME = { documentId: 'Name', variables: {} };

const { upstream, stack } = useScriptedStack({ OPERATIONS_DIR });

type AnswerTo = (token: string, response: ServerResponse) => void;

/** Answers operations from now on, by the token of each request. */
function answerBy(answer: AnswerTo): void {
  upstream.before = (call, response) => {
    answer(tokenOf(call)!, response.setHeader('content-type', 'application/json'));
    return true;
  };
}

/** Answers with the token of each request from now on; gives the last one. */
function quoteToken(quote: (token: string) => string): () => string {
  let token = '';
  answerBy((sent, response) => void response.end(quote((token = sent))));
  return () => token;
}

const fine: AnswerTo = (_token, response) =>
  void response.end('{"data":{"hiringOrganization":{"name":"n","url":"u"}}}');

beforeEach(() => {
  upstream.reset();
  answerBy(fine);
});

/** Every text of the answer, however it is escaped. */
function textsOf({ text, headers }: Answer): string {
  const body: unknown = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
  const lines = Object.values(headers).map((value) =>
    decodeURIComponent(String(value).replaceAll('%', '%25')),
  );
  return [text, JSON.stringify(body), ...lines].join('\n');
}

const escaped = (token: string): string =>
  [...token].map((character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('');

const QUOTES: readonly [string, (token: string) => string][] = [
  ['a message', (token) => `{"data":{"hiringOrganization":null},"errors":[{"message":"bad ${token}!"}]}`],
  ['a code', (token) => `{"data":null,"errors":[{"message":"m","extensions":{"code":"${token}"}}]}`],
  ['a path', (token) => `{"data":null,"errors":[{"message":"m","path":["hiringOrganization","${token}"]}]}`],
  ['data', (token) => `{"data":{"hiringOrganization":{"name":"Bearer ${token}","url":"u"}}}`],
  ['data, escaped', (token) => `{"data":{"hiringOrganization":{"name":"${escaped(token)}","url":"u"}}}`],
  [
    'data, escaped in part, after a backslash',
    (token) =>
      `{"data":{"hiringOrganization":{"name":"\\\\${escaped(token[0]!)}${token.slice(1)}","url":"u"}}}`,
  ],
  [
    'requestLatency',
    (token) =>
      `{"data":{"hiringOrganization":{"name":"n","url":"u"}},"extensions":{"requestLatency":"${token}"}}`,
  ],
];

describe('the partner token, quoted by the upstream', () => {
  test.each(QUOTES)(
    'in %s: the answer of a registered operation is UPSTREAM_ERROR without data',
    async (_where, quote) => {
      const token = quoteToken(quote);
      const answer = await stack.ask(BY_NAME);
      expect(textsOf(answer)).not.toContain(token());
      expect(answer).toMatchObject({
        status: 502,
        body: { errors: [{ extensions: { code: 'UPSTREAM_ERROR' } }] },
      });
      expect(answer.body.data).toBeUndefined();
    },
  );

  test('in an array: no item has data', async () => {
    answerBy(
      (token, response) =>
        void response.end(`[{"data":{"hiringOrganization":{"name":"${token}"}}},{"data":null}]`),
    );
    const answer = await stack.ask([BY_NAME, BY_NAME]);
    expect(answer.body.map((item: Answer['body']) => item.errors[0].extensions.code)).toEqual([
      'UPSTREAM_ERROR',
      'UPSTREAM_ERROR',
    ]);
  });

  test('of the time before its renewal, and to a call with a browser token', async () => {
    let token = '';
    answerBy((sent, response) => {
      token ||= sent;
      const isRefused = sent === token;
      response.writeHead(isRefused ? 401 : 200).end(isRefused ? '' : `{"data":{"x":"${token}"}}`);
    });
    for (const body of [BY_NAME, { query: '{ x }' }]) {
      const answer = await stack.ask(body);
      expect([answer.status, textsOf(answer).includes(token)]).toEqual([502, false]);
    }
  });

  test('as a browser token: upstream_error, and it is not cached', async () => {
    const scope = 'query:ad-products';
    upstream.mint = (call) => ({ access_token: tokenOf(call)! });
    const refused = await askToken(stack, stack.amelia, { hirerId: BANKSIA, scope });
    expect(refused).toMatchObject({ status: 502, body: { code: 'upstream_error' } });
    expect(textsOf(refused)).not.toContain(
      tokenOf(upstream.server.received.findLast(({ url }) => url === '/auth/token')!),
    );
    upstream.mint = () => ({ access_token: 'a-browser-token' });
    const { body } = await askToken(stack, stack.amelia, { hirerId: BANKSIA, scope });
    expect(body.access_token).toBe('a-browser-token');
  });

  test('in the name of a hirer: the hirer has none', async () => {
    const token = quoteToken((sent) => `{"data":{"hiringOrganization":{"name":"${sent}"}}}`);
    const answer = await getAs(stack.url, '/hirers', stack.amelia);
    expect([answer.status, textsOf(answer).includes(token())]).toEqual([200, false]);
  });
});

describe('a file', () => {
  const requestFile = async (): Promise<Response> => {
    answerBy(
      (_token, response) =>
        void response.end(`{"data":{"hiringOrganization":{"url":"${upstream.url}/attachments/1"}}}`),
    );
    const { body } = await stack.ask({ documentId: 'File', variables: {} });
    const headers = { authorization: `Bearer ${stack.amelia}` };
    return fetch(new URL(body.data.hiringOrganization.url, stack.url), { headers });
  };
  /** The bytes of a file that arrive before it ends or breaks off. */
  const fetchFile = async (): Promise<string> => {
    const file = await requestFile();
    let text = '';
    try {
      for await (const chunk of file.body!) text += Buffer.from(chunk).toString('latin1');
    } catch {
      text += '…';
    }
    return text;
  };

  test.each([1, 7, 1_000])('breaks off before the partner token, sent by %i bytes', async (length) => {
    let token = '';
    upstream.sendFile = (call, response) => {
      token = tokenOf(call)!;
      const text = `${'x'.repeat(2_000)}Bearer ${token} ${'#'.repeat(2_000)}`;
      for (let at = 0; at < text.length; at += length) response.write(text.slice(at, at + length));
      response.end();
    };
    const text = await fetchFile();
    expect(text).not.toContain('#');
    expect(text).not.toContain(token.slice(0, 20));
  });

  test('that the upstream breaks off before a byte could pass is upstream_error', async () => {
    upstream.sendFile = (_call, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('x', () => response.destroy());
    };
    const file = await requestFile();
    expect([file.status, ((await file.json()) as { code: string }).code]).toEqual([502, 'upstream_error']);
  });

  test('that quotes no secret passes whole', async () => {
    const text = Array.from({ length: 20_000 }, (_, index) => index).join('\\u0041');
    upstream.sendFile = (_call, response) => {
      for (let at = 0; at < text.length; at += 999) response.write(text.slice(at, at + 999));
      response.end();
    };
    expect(await fetchFile()).toBe(text);
  });
});

describe('headers of the upstream', () => {
  const passed = async (headers: Record<string, string>): Promise<Answer['headers']> => {
    answerBy((token, response) => {
      for (const [name, value] of Object.entries(headers)) {
        response.setHeader(name, value.replace('TOKEN', token));
      }
      fine(token, response);
    });
    const answer = await stack.ask(BY_NAME);
    expect(answer.status).toBe(200);
    return answer.headers;
  };

  test.each(['<script>', 'abcdefghi'])('Content-Language does not pass as %s', async (value) => {
    expect((await passed({ 'content-language': value }))['content-language']).toBeUndefined();
  });

  test('a partner token of words does not leave in Content-Language', async () => {
    answerBy((_token, response) => fine('', response.setHeader('content-language', 'partner-token-1')));
    stack.service.app.get(KeptPartnerTokens, { strict: false }).keep('partner-token-1');
    const { status, headers } = await stack.ask(BY_NAME);
    expect([status, headers['content-language']]).toEqual([502, undefined]);
  });

  test.each(['TOKEN', 'soon', '-1', '1.5', '7, 8', 'a-token-1'])(
    'Retry-After does not pass as %s',
    async (value) => {
      expect((await passed({ 'retry-after': value }))['retry-after']).toBeUndefined();
    },
  );

  test.each([
    ['content-language', 'en-AU', 'en-AU'],
    ['content-language', 'th, id-ID, x-private', 'th, id-ID, x-private'],
    ['retry-after', '7', '7'],
    ['retry-after', 'Wed, 21 Oct 2099 07:28:00 GMT', '3600'],
  ])('%s of %s passes as %s', async (name, value, expected) => {
    expect((await passed({ [name]: value }))[name]).toBe(expected);
  });
});
