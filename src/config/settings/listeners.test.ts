import { LISTENERS } from './listeners.js';

const { parse } = LISTENERS.CORS_ORIGINS;

test.each([
  ['https://a.test', 'https://a.test'],
  ['https://A.Test:443/', 'https://a.test'],
  ['http://a.test:80', 'http://a.test'],
  ['http://[::1]:5173', 'http://[::1]:5173'],
  ['https://b\u00fccher.test', 'https://xn--bcher-kva.test'],
  ['capacitor://localhost', 'capacitor://localhost'],
  ['ionic://localhost/', 'ionic://localhost'],
  ['tauri://localhost', 'tauri://localhost'],
  ['app://', 'app://'],
  ['app://.', 'app://.'],
])('the origin %s is the one that a browser writes: %s', (text, origin) => {
  expect(parse(text)).toEqual({ value: [origin] });
});

test.each([
  ...[
    '*',
    'null',
    'https://*.a.test',
    'https://a.test/path',
    'https://a.test?',
    'https://u@a.test',
    'a.test',
  ],
  ...['https://a.test:99999', 'file://', 'capacitor://localhost/index.html', 'https://'],
])('%s is no origin', (text) => {
  expect(parse(text)).toEqual({
    fault: expect.stringMatching(/^item 1 must be an origin: .* without a path/),
  });
});
