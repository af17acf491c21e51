import fc from 'fast-check';

const visible = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
const byte = fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code));

/** A value as Node gives a header: any byte but control characters, each as one character, no blanks around it. */
export const headerText = fc
  .string({ unit: fc.oneof({ weight: 8, arbitrary: visible }, byte, fc.constant('\t')), maxLength: 200 })
  .map((text) => text.trim());

export const HEADER_PIECES = [
  ...[
    'Bearer ',
    'Bearer',
    'eyJ',
    'eyJ-',
    '.',
    '-',
    '=',
    ';',
    ',',
    ' ',
    '\t',
    '"',
    '/',
    '%',
    '%00',
    'a=b',
    'q=0.5',
    '\u00ff',
  ],
  ...[
    'application/json',
    'charset=',
    ';charset="',
    'utf-8',
    '00-',
    'f',
    '0',
    ':',
    'a',
    '*/*',
    '://',
    'token=',
  ],
];
