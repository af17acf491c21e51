import { withoutObject } from './without-object.js';

const OBJECT = JSON.stringify({
  person: { given: '伟', family: 'Ng', name: '田中 太郎', nick: 'Jürgen O’Brien' },
  phone: '+61 4 12 34 56 78',
});

test.each([
  ['a name of two letters', 'Ng is known', '… is known'],
  ['a name of one character', '伟 is known', '… is known'],
  ['a name in a script without spaces', '田中太郎様は登録済み', '…'],
  ['a number in pairs', 'call 12 34 56 78', 'call … … … …'],
  ['letters with their marks apart', 'Ju\u0308rgen is known', '… is known'],
  ['words after an escape of JSON', String.raw`known:\nBrien\tNg`, 'known: … …'],
  ['words that are encoded for a URL', 'known=J%C3%BCrgen%20Brien', 'known=…  … …'],
])('what an answer repeats of an object is left out: %s', (_what, answer, kept) => {
  expect(withoutObject(answer, OBJECT)).toBe(kept);
});

test('the rest of an answer stays, and all of it where nothing went along', () => {
  expect(withoutObject('status 503: the queue is full', OBJECT)).toBe('status 503: the queue is full');
  expect(withoutObject('Ng 伟', undefined)).toBe('Ng 伟');
});

test('a name in which a long answer is cut leaves no part of itself', () => {
  const before = '. '.repeat(123); // 246 of the 250 characters that are kept
  expect(withoutObject(`${before}O’Brien is known`, OBJECT)).toBe(`${before}…’…`);
});
