import { parseExact } from './exact-json.js';

test.each([
  '{"id":9007199254740993,"amount":1.10,"large":1e400,"zero":-0,"text":"1.10"}',
  '[0.1,12345678901234567890.123456789,[-0.0]]',
  '{"a":[{"b":null}],"c":true,"d":1}',
])('%s survives the round trip', (text) => {
  expect(JSON.stringify(parseExact(text))).toBe(text);
});
