import { chooseLocale } from './locale.js';

describe('chooseLocale', () => {
  test.each([
    [undefined, 'en-AU'],
    ['', 'en-AU'],
    ['*', 'en-AU'],
    ['id-ID', 'id-ID'],
    ['TH-th', 'th-TH'],
    ['en-US, th', 'en-AU'],
    ['fr, th;q=0.4, id;q=0.8', 'id-ID'],
    ['th;q=0, id;q=0.1', 'id-ID'],
    ['id;q=2, th', 'th-TH'],
    ['zh-Hant-TW, th-Thai-TH', 'th-TH'],
    [' ,;q=, th', 'th-TH'],
  ])('serves %p with %s', (header, locale) => {
    expect(chooseLocale(header)).toBe(locale);
  });
});
