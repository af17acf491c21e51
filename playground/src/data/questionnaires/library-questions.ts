/** A question that anyone may use. Its choices are in ascending order where they form a range. */
export interface LibraryQuestion {
  readonly id: string;
  readonly text: string;
  readonly responseTypeCode: 'SingleSelect' | 'MultiSelect';
  readonly preference: 'SingleChoice' | 'MultiChoice' | 'Range';
  readonly responseChoice: readonly { readonly id: string; readonly text: string }[];
}

const PREFIX = 'seekAnzPublicTest:applicationLibraryQuestion';

type Row = readonly [suffix: string, text: string, preference: LibraryQuestion['preference'], choices: readonly string[]];

const ROWS: readonly Row[] = [
  ['rightToWork', 'May you work in this country?', 'SingleChoice', ['Yes, without a visa', 'Yes, with a visa', 'No']],
  ['experience', 'How many years have you done this work?', 'Range', ['None', '1 year', '2 years', '3 years', '5 years or more']],
  ['notice', 'How much notice must you give?', 'Range', ['None', '2 weeks', '4 weeks', '8 weeks or more']],
  ['licences', 'Which of these do you hold?', 'MultiChoice', ['Driver licence', 'Forklift licence', 'First aid certificate']],
  ['languages', 'Which languages do you speak at work?', 'MultiChoice', ['English', 'Bahasa Indonesia', 'Thai']],
  ['travel', 'Would you travel for this position?', 'SingleChoice', ['Yes', 'No']],
];

/** Every question of the library by identifier. The same for every hirer. */
export const LIBRARY_QUESTIONS: ReadonlyMap<string, LibraryQuestion> = new Map(
  ROWS.map(([suffix, text, preference, choices]) => [
    `${PREFIX}:library:${suffix}`,
    {
      id: `${PREFIX}:library:${suffix}`,
      text,
      preference,
      responseTypeCode: preference === 'MultiChoice' ? 'MultiSelect' : 'SingleSelect',
      responseChoice: choices.map((choice, index) => ({ id: `${PREFIX}Choice:library:${suffix}-${String(index)}`, text: choice })),
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
