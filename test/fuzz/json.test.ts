import fc from 'fast-check';
import { parseExact } from '../../src/json/parse-json.js';
import { readShape } from '../../src/operations/transport/graphql-result.js';
import { sliceElements, sliceMembers } from '../../src/json/slices.js';
import {
  JSON_PIECES,
  anyJsonBytes,
  anyJsonText,
  arrayText,
  jsonText,
  objectText,
} from './generators/json-texts.js';
import { growsLinearly } from './growth.js';
import { target } from './target.js';

/** The value that JSON.parse reads from the text; undefined when the text is not JSON. */
function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Every number of a JSON text as it is written, in order. */
function numbersOf(text: string): string[] {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
}

target(
  'slices of JSON',
  {
    'the members of an object are those that JSON.parse finds, in its order, with their own bytes':
      fc.property(objectText, (text) => {
        const bytes = Buffer.from(text);
        const members = sliceMembers(bytes)!;
        const sliced = members.map(({ name, value }) => [name, JSON.parse(value.toString())]);
        const read: Record<string, unknown> = Object.create(null);
        for (const [name, value] of sliced) read[name as string] = value;
        const parsed = JSON.parse(text) as Record<string, unknown>;
        expect(Object.entries(read)).toEqual(Object.entries(parsed));
      }),
    'the elements of an array are those that JSON.parse finds, with their own bytes': fc.property(
      arrayText,
      (text) => {
        const elements = sliceElements(Buffer.from(text))!;
        expect(elements.map((element) => JSON.parse(element.toString()))).toEqual(JSON.parse(text));
      },
    ),
    'bytes that are no object or no array have no slices, and nothing is thrown': fc.property(
      anyJsonBytes,
      (bytes) => {
        const value = parse(bytes.toString('utf8'))?.value;
        const isObject = typeof value === 'object' && value !== null;
        const [members, elements] = [sliceMembers(bytes), sliceElements(bytes)];
        if (value !== undefined && bytes.equals(Buffer.from(bytes.toString('utf8')))) {
          expect([members !== undefined, elements !== undefined]).toEqual([
            isObject && !Array.isArray(value),
            Array.isArray(value),
          ]);
        }
        for (const member of members ?? []) expect(member.value).not.toHaveLength(0);
      },
    ),
    'the shape of an answer is judged without a throw': fc.property(anyJsonBytes, (bytes) => {
      const shape = readShape(bytes);
      const value = parse(bytes.toString('utf8'))?.value;
      if (!shape || value === undefined) return;
      expect(Object.keys(value as object)).toEqual(
        expect.arrayContaining([expect.stringMatching(/^(data|errors)$/)]),
      );
    }),
  },
  {
    growth: growsLinearly(JSON_PIECES, (text) => {
      const bytes = Buffer.from(text);
      return [sliceMembers(bytes), sliceElements(bytes), readShape(bytes)];
    }),
  },
);

target(
  'exact JSON',
  {
    'numbers survive parsing and writing as they stood': fc.property(arrayText, (text) => {
      const numbers = new Set(numbersOf(text));
      for (const number of numbersOf(JSON.stringify(parseExact(text)))) expect(numbers).toContain(number);
    }),
    'what is written reads as what JSON.parse reads': fc.property(jsonText, (text) => {
      expect(JSON.parse(JSON.stringify(parseExact(text)))).toEqual(JSON.parse(text));
    }),
    'exactly what JSON.parse accepts is accepted': fc.property(anyJsonText, (text) => {
      let accepted = true;
      try {
        parseExact(text);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
        accepted = false;
      }
      expect(accepted).toBe(parse(text) !== undefined);
    }),
  },
  { growth: growsLinearly(JSON_PIECES, (text) => parseExact(text)) },
);
