import { parseExactJson } from './exact-json.js';

test.each([
  '{"big":9007199254740993}',
  '[1.0,-0,1e400,0.1,12345678901234567890]',
  '{"a":{"b":[1,{"c":2.50}]},"text":"9007199254740993"}',
  '{"no":"numbers","at":"10:30, 5"}',
  '-0.0',
])('%s comes out as it went in', (text) => {
  expect(JSON.stringify(parseExactJson(text))).toBe(text);
});
