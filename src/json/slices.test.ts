import { sliceElements, sliceMembers } from './slices.js';

const texts = (elements: Buffer[] | undefined): string[] | undefined => elements?.map(String);

describe('sliceElements', () => {
  test.each([
    ['[]', []],
    [' [ 1 , {"a":[1,"]"]} , "x,\\"]" , null ] ', ['1', '{"a":[1,"]"]}', '"x,\\"]"', 'null']],
    ['[9007199254740993,-1.5e3,true]', ['9007199254740993', '-1.5e3', 'true']],
    ['["\\\\"]', ['"\\\\"']],
  ])('cuts %s', (text, expected) => {
    expect(texts(sliceElements(Buffer.from(text)))).toEqual(expected);
  });

  test.each(['', '[', '[1', '[1,]', '[,]', '{}', '[1] x', '["a]', '[{]', '[{"a":[}]}]'])(
    'refuses %s',
    (text) => {
      expect(sliceElements(Buffer.from(text))).toBeUndefined();
    },
  );
});

describe('sliceMembers', () => {
  const read = (text: string) => {
    const bytes = Buffer.from(text);
    return sliceMembers(bytes)?.map(({ name, value }) => [name, value.toString()]);
  };

  test('gives every member as it stands, repetitions and escaped names included', () => {
    expect(read(' {"a" : 1.0, "\\u0061":{"b":"}"} , "é":[{}] } ')).toEqual([
      ['a', '1.0'],
      ['a', '{"b":"}"}'],
      ['é', '[{}]'],
    ]);
    expect(read('{}')).toEqual([]);
  });

  test('lists ten thousand members, and refuses more, however short', () => {
    const withMembers = (count: number): string => `{${Array(count).fill('"":0').join()}}`;
    expect(read(withMembers(10_000))).toHaveLength(10_000);
    expect(read(withMembers(10_001))).toBeUndefined();
  });

  test.each([
    '',
    '{',
    '{"data"',
    '{"data":',
    '{"data":{"a":1}',
    '{data:1}',
    '{"a":1,}',
    '[]',
    '<html>',
    'null',
  ])('refuses %s', (text) => {
    expect(read(text)).toBeUndefined();
  });
});
