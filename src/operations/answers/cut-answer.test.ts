import { BffError } from '../../errors/bff-error.js';
import { shape } from '../../../test/support/shape-answer.js';

describe('bytes', () => {
  const text = `query A($h: String!) @hirer(variable: "h") { a(h: $h) { b c { d } url @attachment } e(h: $h) }`;
  const bodyOf = (body: string): string => {
    const outcome = shape(text, body);
    if (outcome instanceof BffError) throw outcome;
    return outcome.body.toString();
  };

  test.each([
    '{"a":{"b":9007199254740993}}',
    '{"a":{"b":1.50,"c":[{"d":-0},{"d":1E400}]}}',
    '{ "e" : "\\u0041\\/é😀" ,\n"a":\t{"c" : [ ] , "b":{"any":{"thing":[1.0, null ,true]}}}}',
    '{"a":{"c":[[{"d":""}],null,{}]},"e":false}',
    'null',
    '{}',
  ])('what is selected keeps order and bytes: %s', (data) => {
    expect(bodyOf(`{"data":${data}}`)).toBe(`{"data":${data}}`);
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
    ['{"a":{"c":{},"urx":1,"url2":1,"ur":1,"b":2,"":1}}', '{"a":{"c":{},"b":2}}'],
    ['{"a":{"url":"u","x":1,"b":"u"}}', '{"a":{"url":"sealed u","b":"u"}}'],
    ['{ "x" : 1 , "a" : {"b" : 2 ,\n"x":1 } , "y" : 1 }', '{ "a" : {"b" : 2 } }'],
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
    const cause = expect.objectContaining({ name: 'UnusableAnswer' }) as unknown;
    expect(shape(text, `{"data":${data}}`)).toMatchObject({ code: 'upstream_error', cause });
  });

  test('the log learns why an answer is not shown', () => {
    const reasonOf = (answer: string): unknown => (shape(text, answer) as { cause?: unknown }).cause;
    expect(String(reasonOf('{"data":{"a":7}}'))).toBe(
      'UnusableAnswer: the answer has a value in the place of an object',
    );
    expect(String(reasonOf('{"data":{"e":1},"data":null}'))).toBe(
      'UnusableAnswer: the answer has the member "data" twice',
    );
  });

  test('the name of a member may be escaped', () => {
    expect(bodyOf('{"d\\u0061ta":{"e":1},"\\u0078":1}')).toBe('{"data":{"e":1}}');
  });

  test('a member beside the data may be called like one that every object has', () => {
    expect(bodyOf('{"constructor":1,"__proto__":{},"toString":[],"data":{"e":1}}')).toBe('{"data":{"e":1}}');
  });

  test('errors and the latency follow the data, in this order', () => {
    const body =
      '{"extensions":{"x":1,"requestLatency":1.50},"errors":[{"message":"m","x":1}],"data":{"e":1}}';
    expect(bodyOf(body)).toBe(
      '{"data":{"e":1},"errors":[{"message":"m"}],"extensions":{"requestLatency":1.50}}',
    );
    expect(bodyOf('{"data":null,"errors":[],"extensions":{"x":1}}')).toBe('{"data":null,"errors":[]}');
    expect(bodyOf('{"data":null,"errors":null,"extensions":[]}')).toBe('{"data":null}');
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

  test('an answer with more to leave out than any upstream sends is refused, not a fault of ours', () => {
    const withMore = (count: number): string =>
      `{"data":{"a":{"c":[${Array(count).fill('{"":1}').join()}]}}}`;
    expect(bodyOf(withMore(49_000)).match(/\{\}/g)).toHaveLength(49_000);
    for (const count of [51_000, 130_000]) {
      expect(shape(text, withMore(count))).toMatchObject({ code: 'upstream_error' });
    }
  });

  test('what proves nothing is not counted as proof', () => {
    const texts = Array(70_000).fill('x');
    const bound = 'query A($h: String!) @hirer(variable: "h") { tags(h: $h) }';
    expect(shape(bound, { data: { tags: texts } })).not.toBeInstanceOf(BffError);
    const proven = 'query A($id: String!) @hirer(path: "a.owner") { a(id: $id) { owner tags } tags }';
    const answer = { data: { a: { owner: 'own', tags: texts }, tags: texts } };
    expect(shape(proven, answer)).not.toBeInstanceOf(BffError);
  });

  test('a member of the answer may have 500 levels', () => {
    const nested = (levels: number): string =>
      `{"data":{"e":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}}`;
    expect(bodyOf(nested(500))).toBe(nested(500));
    expect(shape(text, nested(501))).toMatchObject({ code: 'upstream_error' });
  });

  test('an answer with more owners than any page has is refused', () => {
    const owned = 'query A($id: String!) @hirer(path: "a.owner") { a(id: $id) { owner } }';
    const withOwners = (count: number): string =>
      `{"data":{"a":{"owner":[${Array(count).fill('"own"').join()}]}}}`;
    expect(shape(owned, withOwners(59_000))).not.toBeInstanceOf(BffError);
    expect(shape(owned, withOwners(61_000))).toMatchObject({ code: 'upstream_error' });
    const foreign = (count: number): unknown => ({ data: { a: { owner: Array(count).fill('foreign') } } });
    expect(shape(owned, foreign(10_000))).toMatchObject({ code: 'hirer_forbidden' });
    expect(shape(owned, foreign(10_001))).toMatchObject({ code: 'upstream_error' });
  });

  test('a thousand attachments are sealed and a thousand errors shown, more are refused', () => {
    const withUrls = (count: number): string => `{"data":{"a":{"url":[${Array(count).fill('"u"').join()}]}}}`;
    expect(bodyOf(withUrls(1_000)).match(/"sealed u"/g)).toHaveLength(1_000);
    expect(shape(text, withUrls(1_001))).toMatchObject({ code: 'upstream_error' });
    const withErrors = (count: number): string =>
      `{"data":null,"errors":[${Array(count).fill('{"message":"m"}').join()}]}`;
    expect(bodyOf(withErrors(1_000)).match(/"m"/g)).toHaveLength(1_000);
    expect(shape(text, withErrors(1_001))).toMatchObject({ code: 'upstream_error' });
    const long = `{"data":null,"errors":[{"message":"${'m'.repeat(262_144)}"}]}`;
    expect(shape(text, long)).toMatchObject({ code: 'upstream_error' });
  });
});
