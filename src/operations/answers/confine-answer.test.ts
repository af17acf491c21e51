import { BffError } from '../../errors/bff-error.js';
import type { GraphqlResult } from '../transport/graphql-result.js';
import { shape } from '../../../test/support/parts.js';

describe('an answer that is shown', () => {
  const text = `query A($h: String!) @hirer(variable: "h") {
    a(h: $h) { b c { d ...Link } ...Link } e(h: $h) } fragment Link on A { url: link @attachment }`;
  const bodyOf = (body: string): string => {
    const outcome = shape(text, body);
    if (outcome instanceof BffError) throw outcome;
    return outcome.body.toString();
  };

  test.each([
    '{"a":{"b":9007199254740993}}',
    '{"a":{"b":1.50,"c":[{"d":-0},{"d":1E400}]}}',
    '{"e":"é😀","a":{"c":[],"b":{"any":{"thing":[1.0,null,true]}}}}',
    '{"a":{"c":[[{"d":""}],null,{}]},"e":false}',
    'null',
    '{}',
  ])('keeps order, and the digits of numbers: %s', (data) => {
    expect(bodyOf(`{"data":${data}}`)).toBe(`{"data":${data}}`);
  });

  test('reads as it came, without blanks and escapes that nothing needs', () => {
    const data = '{ "e" : "\\u0041\\/" ,\n"a":\t{"c" : [ ] } }';
    expect(bodyOf(`{ "data" :${data}} `)).toBe('{"data":{"e":"A/","a":{"c":[]}}}');
  });

  test.each([
    ['{"a":{"x":1,"b":2}}', '{"a":{"b":2}}'],
    ['{"a":{"b":2,"x":1}}', '{"a":{"b":2}}'],
    ['{"a":{"x":1}}', '{"a":{}}'],
    ['{"a":{"x":1,"y":{"b":[2]},"z":""}}', '{"a":{}}'],
    ['{"a":{"x":1,"y":1,"b":2,"z":1,"w":1,"c":{"d":1,"q":1},"v":1}}', '{"a":{"b":2,"c":{"d":1}}}'],
    [
      '{"x":1,"a":[{"x":1,"b":1},{"b":2,"y":1},{"x":1}],"y":1,"e":1,"z":1}',
      '{"a":[{"b":1},{"b":2},{}],"e":1}',
    ],
    ['{"__proto__":{"a":1},"constructor":1,"e":1}', '{"e":1}'],
    ['{"__proto__":{"e":2}}', '{}'],
    ['{"a":{"c":{},"urx":1,"url2":1,"ur":1,"b":2,"":1}}', '{"a":{"c":{},"b":2}}'],
    ['{"a":{"url":"u","x":1,"b":["u",{"url":"u"}]}}', '{"a":{"url":"sealed u","b":["u",{"url":"u"}]}}'],
    ['{"a":{"c":[[{"d":"u","url":"u"}]]}}', '{"a":{"c":[[{"d":"u","url":"sealed u"}]]}}'],
    ['{"a":{"x":1,"url":["u",["\\u0075"],null,7],"y":1}}', '{"a":{"url":["sealed u",["sealed u"],null,7]}}'],
  ])('what is not selected is left out: %s', (data, kept) => {
    expect(bodyOf(`{"x":[{}],"data":${data},"y":1}`)).toBe(`{"data":${kept}}`);
  });

  test.each([
    ['a text for an object', '{"a":"secret"}'],
    ['a number among objects', '{"a":{"c":[{"d":1},7]}}'],
    ['true among lists of objects', '{"a":{"c":[[true]]}}'],
    ['an object for the URL of an attachment', '{"a":{"url":{"x":"https://upstream.test/attachments/a"}}}'],
    ['a list of such objects', '{"a":{"url":["u",{"x":"u"}]}}'],
    ['a list for the data', '[{"a":{"b":1}}]'],
    ['a text for the data', '"secret"'],
  ])('what has another form than was selected is not shown: %s', (_, data) => {
    expect(shape(text, `{"data":${data}}`)).toMatchObject({ code: 'upstream_error' });
  });

  test.each([
    ['{"data":{"a":7}}', 'a value in the place of an object'],
    ['{"data":{"e":1}', 'a fault in its JSON'],
  ])('the log learns why %s is not shown', (body, reason) => {
    expect(shape(text, body)).toMatchObject({ message: `the answer has ${reason}` });
  });

  test('of a member that is there twice, the last is judged and shown', () => {
    expect(bodyOf('{"data":{"a":{"b":1},"e":[{"x":1,"\\u0078":2}],"a":{"b":2}}}')).toBe(
      '{"data":{"a":{"b":2},"e":[{"x":2}]}}',
    );
    const proven = 'query A($id: String!) @hirer(path: "a.owner") { a(id: $id) { owner } }';
    const twice = (...owners: string[]): string =>
      `{"data":{"a":{${owners.map((owner) => `"owner":"${owner}"`).join()}}}}`;
    expect(shape(proven, twice('own', 'foreign'))).toMatchObject({ code: 'hirer_forbidden' });
    expect(String((shape(proven, twice('foreign', 'own')) as GraphqlResult).body)).toBe(twice('own'));
  });

  test('the name of a member may be escaped', () => {
    expect(bodyOf('{"d\\u0061ta":{"e":1},"\\u0078":1}')).toBe('{"data":{"e":1}}');
  });

  test('a member beside the data may be called like one that every object has', () => {
    expect(bodyOf('{"constructor":1,"__proto__":{},"toString":[],"data":{"e":1}}')).toBe('{"data":{"e":1}}');
  });

  test.each(['constructor', 'toString', 'a'])(
    'an error at the root %s, which is null, proves no owner and says nothing of its text',
    (root) => {
      const bound = `query A @hirer(path: "${root}.h") { ${root}: a { h } }`;
      const errors = `[{"message":"of another hirer","path":["${root}"],"extensions":{"code":"GONE"}}]`;
      const outcome = shape(bound, `{"data":{"${root}":null},"errors":${errors}}`);
      if (outcome instanceof BffError) throw outcome;
      expect(outcome.body.toString()).not.toContain('another hirer');
      expect(outcome.body.toString()).toContain('GONE');
    },
  );

  test('errors and the latency follow the data, in this order', () => {
    const body =
      '{"extensions":{"x":1,"requestLatency":1.50},"errors":[{"message":"m","x":1}],"data":{"e":1}}';
    expect(bodyOf(body)).toBe(
      '{"data":{"e":1},"errors":[{"message":"m"}],"extensions":{"requestLatency":1.50}}',
    );
    expect(bodyOf('{"data":null,"errors":[],"extensions":{"x":1}}')).toBe('{"data":null,"errors":[]}');
    expect(bodyOf('{"data":null,"errors":null,"extensions":[]}')).toBe('{"data":null}');
    for (const latency of ['"7"', '[7]', '{"a":7}', 'true', 'null']) {
      expect(bodyOf(`{"data":null,"extensions":{"requestLatency":${latency}}}`)).toBe('{"data":null}');
    }
  });

  test.each([
    '',
    'null',
    '[]',
    '{"data":{"e":1}}x',
    '{"data":{"e":1}',
    '{"data":{"e":01}}',
    '{"data":01}',
    '{"data":{"e":1.}}',
    '{"data":{"e":+1}}',
    '{"data":{"e":tru}}',
    '{"data":{"e":"\\x"}}',
    '{"data":{"e":"\\u00g0"}}',
    '{"data":{"e":"\n"}}',
    '{"data":{"e":1,}}',
    '{"data":{"e":[1 2]}}',
    '{"data":{"e" 1}}',
    '{"data":{e:1}}',
    '{"data":{"x":[1,]}}',
    '{"data":{"e":{"x":NaN}}}',
    '{"data":{"e":1},"x":{"y"}}',
    '{"x":01,"data":{"e":1}}',
    '{"data":{"e":1},"errors":01}',
    '{"extensions":01,"data":{"e":1}}',
    '{"data":{"e":1},"x\n":1}',
    '{"data":{"e":"',
    '{"data":{"e":"\\',
  ])('%j is no JSON, and nothing of it is shown', (body) => {
    expect(shape(text, body)).toMatchObject({ code: 'upstream_error' });
  });

  test('an answer may have 60,000 values, wherever they are', () => {
    const withValues = (count: number): readonly string[] => {
      const list = (values: number): string => `[${Array(values).fill(0).join()}]`;
      return [
        `{"data":{"e":${list(count - 2)}}}`,
        `{"data":{"x":${list(count - 2)}}}`,
        `{"data":null,"x":${list(count - 2)}}`,
      ];
    };
    for (const body of withValues(60_000)) expect(shape(text, body)).not.toBeInstanceOf(BffError);
    for (const body of withValues(60_001)) {
      expect(shape(text, body)).toMatchObject({ code: 'upstream_error' });
    }
  });

  test('a member of the answer may have 500 levels', () => {
    const nested = (levels: number): string =>
      `{"data":{"e":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}}`;
    expect(bodyOf(nested(500))).toBe(nested(500));
    expect(shape(text, nested(501))).toMatchObject({ code: 'upstream_error' });
  });

  test('a thousand attachments are sealed and a thousand errors shown, more are refused', () => {
    const withUrls = (count: number): string => `{"data":{"a":{"url":[${Array(count).fill('"u"').join()}]}}}`;
    expect(bodyOf(withUrls(1_000)).match(/"sealed u"/g)).toHaveLength(1_000);
    expect(shape(text, withUrls(1_001))).toMatchObject({ code: 'upstream_error' });
    const withErrors = (count: number): string =>
      `{"data":null,"errors":[${Array(count).fill('{"message":"m"}').join()}]}`;
    expect(bodyOf(withErrors(1_000)).match(/"m"/g)).toHaveLength(1_000);
    expect(shape(text, withErrors(1_001))).toMatchObject({ code: 'upstream_error' });
  });

  test.each([1_000, 65_000, 300_000])('of %d bytes is judged and cut alike', (bytes) => {
    const proven = 'query A($id: String!) @hirer(path: "a.owner") { a(id: $id) { owner x } }';
    const bodyWith = (owner: string, more: string): string => {
      const items = Array(Math.ceil(bytes / 40)).fill(`{"owner":"own","x":9007199254740993${more}}`);
      return `{"data":{"a":[${items.join()},{"owner":"${owner}"}]}}`;
    };
    const outcome = shape(proven, bodyWith('own', ',"n":1'));
    expect('body' in outcome && outcome.body.toString()).toBe(bodyWith('own', ''));
    expect(shape(proven, bodyWith('foreign', ''))).toMatchObject({ code: 'hirer_forbidden' });
  });
});
