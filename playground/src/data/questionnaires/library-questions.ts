import { readTable } from '../tables.js';

/** A question that anyone may use. Its choices are in ascending order where they form a range. */
export interface LibraryQuestion {
  readonly id: string;
  readonly text: string;
  readonly responseTypeCode: 'SingleSelect' | 'MultiSelect';
  readonly preference: 'SingleChoice' | 'MultiChoice' | 'Range';
  readonly responseChoice: readonly { readonly id: string; readonly text: string }[];
}

const PREFIX = 'seekAnzPublicTest:applicationLibraryQuestion';

const ROWS =
  readTable<
    readonly (readonly [
      suffix: string,
      text: string,
      preference: LibraryQuestion['preference'],
      choices: readonly string[],
    ])[]
  >('libraryQuestions');

/** Every question of the library by identifier. The same for every hirer. */
export const LIBRARY_QUESTIONS: ReadonlyMap<string, LibraryQuestion> = new Map(
  ROWS.map(([suffix, text, preference, choices]) => [
    `${PREFIX}:library:${suffix}`,
    {
      id: `${PREFIX}:library:${suffix}`,
      text,
      preference,
      responseTypeCode: preference === 'MultiChoice' ? 'MultiSelect' : 'SingleSelect',
      responseChoice: choices.map((choice, index) => ({
        id: `${PREFIX}Choice:library:${suffix}-${String(index)}`,
        text: choice,
      })),
    },
  ]),
);

/** The identifier under which a question is suggested. */
export function suggestionId({ id }: LibraryQuestion): string {
  return id.replace(PREFIX, `${PREFIX}Suggestion`);
}

/** A question by its own identifier, or by that of its suggestion. */
export function findLibraryQuestion(id: string): LibraryQuestion | undefined {
  return LIBRARY_QUESTIONS.get(id.replace(`${PREFIX}Suggestion:`, `${PREFIX}:`));
}
