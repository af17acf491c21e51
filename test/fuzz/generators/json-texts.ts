import fc from 'fast-check';

/** Names that mean something to JavaScript itself. */
export const SPECIAL_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'then', ''];

/** Pieces that hold no blank, written in one line. */
export function words(text: string): string[] {
  return text.split(' ');
}

/** Texts that a store, a log or a header may choke on. */
export const awkwardText = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\0', '\ud800', 'a\0b', ...SPECIAL_NAMES),
);

const DEPTH_MAX = 5;
const blanks = fc.constantFrom('', '', '', ' ', '\n', '\t', '\r\n', '  ');
const digits = fc.oneof(
  { weight: 5, arbitrary: fc.nat().map(String) },
  fc.constantFrom('0', '9007199254740993', '1'.repeat(400), '9'.repeat(401)),
);

/** Numbers as JSON writes them, those included that a double cannot hold. */
export const numberText = fc
  .tuple(
    fc.constantFrom('', '', '-'),
    digits,
    fc.constantFrom('', '', '.0', '.50', '.1234567890123456789'),
    fc.constantFrom('', '', 'e2', 'E-7', 'e+400', 'e-400'),
  )
  .map((parts) => parts.join(''));

const anyString = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...SPECIAL_NAMES, '\0', '\u2028', '\ufeff'),
);

/** Texts as JSON writes them, with escapes where none are needed and halves of surrogate pairs. */
export const stringText = fc.oneof(
  anyString.map((text) => JSON.stringify(text)),
  anyString.map((text) => `"${[...text].map(escape).join('')}"`),
  fc.constantFrom('"\\ud800"', '"\\udc00\\ud800"', '"\\\\"', '"\\"]}"', '"\\/"', '"{[,:"'),
);

function escape(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * Names of members: like texts, but none that holds a backslash. After such a name V8 misreads others that are written
 * with an escape (nodejs/node#63785), and JSON.parse is what our own readers are compared with.
 */
const nameText = stringText.filter((text) => !String(JSON.parse(text)).includes('\\'));

const { value, arrayText, objectText } = fc.letrec<Record<'value' | 'arrayText' | 'objectText', string>>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: DEPTH_MAX, depthSize: 'small' },
      fc.oneof(numberText, stringText, fc.constantFrom('true', 'false', 'null')),
      tie('arrayText'),
      tie('objectText'),
    ),
    arrayText: fc.array(fc.tuple(blanks, tie('value'), blanks), { maxLength: 4 }).map(bracket('[', ']')),
    objectText: fc
      .array(fc.tuple(blanks, nameText, blanks, fc.constant(':'), blanks, tie('value'), blanks), {
        maxLength: 4,
      })
      .map(bracket('{', '}')),
  }),
);

function bracket(open: string, close: string): (items: readonly (readonly string[])[]) => string {
  return (items) => open + items.map((item) => item.join('')).join(',') + close;
}

/** Any JSON text, blanks and repeated members included. */
export const jsonText = fc.tuple(blanks, value, blanks).map((parts) => parts.join(''));
export { arrayText, objectText, value as valueText };

/** A grammar's texts with a byte lost, repeated, or added. */
export function damaged(texts: fc.Arbitrary<string>, pieces: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(texts, fc.nat(), fc.nat(3), fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })))
    .map(([text, place, lost, piece]) => {
      const at = text.length === 0 ? 0 : place % text.length;
      return text.slice(0, at) + piece + text.slice(at + lost);
    });
}

export const JSON_PIECES = [
  ...words('[ ] { } , : " \\ \\u - 0 1 . e + null true'),
  ...[' ', '\n', '{"a":', '"a":1,', '[1,', '""', '"\\"', '\ufeff', '\0', '1'.repeat(50), '{},', '\u00e9'],
];

/** JSON, nearly JSON, and none at all. */
export const anyJsonText = fc.oneof(
  { weight: 4, arbitrary: jsonText },
  { weight: 3, arbitrary: damaged(jsonText, JSON_PIECES) },
  fc.string({ unit: 'binary' }),
);

/** The bytes of a text, which a report of a failure shows as the text. */
export function bytesOf(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content as string);
  const show = () => JSON.stringify(bytes.toString(typeof content === 'string' ? 'utf8' : 'latin1'));
  return Object.defineProperty(bytes, fc.toStringMethod, { value: show });
}

/** Bytes as a body may have them: of any such text, or not even UTF-8. */
export const anyJsonBytes = fc.oneof(
  { weight: 6, arbitrary: anyJsonText.map(bytesOf) },
  fc.tuple(jsonText, fc.nat(), fc.nat(255)).map(([text, place, byte]) => {
    const bytes = Buffer.from(text);
    bytes[place % bytes.length] = byte;
    return bytesOf(bytes);
  }),
  fc.uint8Array().map(bytesOf),
);

/** An object with most of the members given, each nearly always of the right kind, and now and then with others. */
export function objectLike(members: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> {
  const known = Object.entries(members).map(([name, right]) =>
    fc.option(
      fc.tuple(
        fc.constant(JSON.stringify(name)),
        fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: value }),
      ),
      { freq: 6 },
    ),
  );
  const others = fc.array(
    fc.tuple(
      fc.oneof(
        nameText,
        fc.constantFrom(...SPECIAL_NAMES, ...Object.keys(members)).map((name) => JSON.stringify(name)),
      ),
      value,
    ),
    { maxLength: 1 },
  );
  return fc.tuple(fc.tuple(...known), others).map(([some, more]) => {
    const all = [...some.filter((member) => member !== null), ...more];
    return `{${all.map(([name, text]) => `${name}:${text}`).join(',')}}`;
  });
}

/** A text as JSON. */
export function quoted(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return texts.map((text) => JSON.stringify(text));
}

/** JSON whose brackets go deeper than any stack of calls. */
export const DEEP_JSON = {
  array: '['.repeat(100_000) + ']'.repeat(100_000),
  object: '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000),
};
