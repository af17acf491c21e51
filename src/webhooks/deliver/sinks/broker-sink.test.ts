import fc from 'fast-check';
import { routingKey, toWord } from './broker-sink.js';

test.each([
  [
    'CandidateApplicationCreated',
    'seekAnzPublicTest:organization:seek:93WyyF1h',
    'CandidateApplicationCreated.seekAnzPublicTest:organization:seek:93WyyF1h',
  ],
  ['CandidateApplicationCreated', null, 'CandidateApplicationCreated.-'],
  ['CandidateApplicationCreated', '-', 'CandidateApplicationCreated.%2D'],
  ['*', '>', '%2A.%3E'],
  ['#', 'a.b', '%23.a%2Eb'],
  ['a b', 'ü', 'a%20b.%C3%BC'],
  ['$JS.API.STREAM.DELETE.x', '%2A', '%24JS%2EAPI%2ESTREAM%2EDELETE%2Ex.%252A'],
  ['a\r\nPUB b 0', '\0', 'a%0D%0APUB%20b%200.%00'],
])('the key of type %j and hirer %j is %s', (type, hirerId, key) => {
  expect(routingKey(type, hirerId)).toBe(key);
});

const anyText = fc.string({ unit: 'binary', maxLength: 300 });

test('whatever an event holds, its key is two words without wildcards, and fits into 255 bytes', () => {
  fc.assert(
    fc.property(anyText, fc.option(anyText), (type, hirerId) => {
      const key = routingKey(type, hirerId);
      expect(key).toMatch(/^[\w:%~-]+\.[\w:%~-]+$/);
      expect(Buffer.byteLength(key)).toBeLessThanOrEqual(255);
    }),
  );
});

test('a word that is not cut can be decoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), (text) => {
      const word = toWord(text);
      fc.pre(!word.includes('~'));
      expect(decodeURIComponent(word)).toBe(text);
    }),
  );
});

test.each([
  ['a'.repeat(121), 'a'.repeat(122)],
  ['a'.repeat(121), toWord('a'.repeat(121))],
  ['.'.repeat(60) + 'x', '.'.repeat(60) + 'y'],
])('two long texts are never one word', (one, other) => {
  expect(toWord(one)).not.toBe(toWord(other));
  expect(toWord(one).length).toBeLessThanOrEqual(120);
});
