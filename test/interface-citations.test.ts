import { globSync, readFileSync } from 'node:fs';

const NUMBER = String.raw`\d+(?:\.\d+){0,2}`;
const NUMBERED = new RegExp(
  String.raw`\binterface(?:\.md)?\`?,? (?:sections? )?(${NUMBER}(?:(?:, and |, | and )${NUMBER})*)(?:, (rules? \d(?: and rule \d)?))?`,
  'gi',
);
const NAMED = /\binterface(?:\.md)?`?, ([A-Z][a-z]+ [a-z]+)((?: \d)?)/g;

/** Every section and numbered rule of the text: "4.3" for a heading, "4.3.2" for an item of a list beneath it. */
function sectionsOf(text: string): Set<string> {
  const sections = new Set<string>();
  let heading = '';
  for (const line of text.split('\n')) {
    const numbered = /^##+ (\d+(?:\.\d+)?)\.? /.exec(line)?.[1];
    heading = numbered ?? /^## (.+)/.exec(line)?.[1] ?? heading;
    const item = /^(\d+)\. /.exec(line)?.[1];
    sections.add(item === undefined ? heading : `${heading}${/^\d/.test(heading) ? '.' : ' '}${item}`);
  }
  return sections;
}

/** The sections that a text cites, as `sectionsOf` names them. Lines of a comment are read as one. */
function citationsIn(text: string): string[] {
  const joined = text.replaceAll(/\n\s*(?:\*|\/\/)?\s*/g, ' ');
  const numbered = [...joined.matchAll(NUMBERED)].flatMap(([, list = '', rules = '']) => {
    const sections = list.match(new RegExp(NUMBER, 'g')) ?? [];
    return [...sections, ...(rules.match(/\d/g) ?? []).map((rule) => `${sections.at(-1)}.${rule}`)];
  });
  return [...numbered, ...[...joined.matchAll(NAMED)].map(([, name = '', item = '']) => name + item)];
}

describe('docs/interface.md', () => {
  const sections = sectionsOf(readFileSync('docs/interface.md', 'utf8'));
  const files = globSync('**/*.{ts,tsx,js,mjs,md,graphql}', {
    exclude: (name) => /(^|\/)(node_modules|dist(-bench)?|\.git|coverage)$|interface-citations/.test(name),
  });
  const cited = files.flatMap((file) =>
    citationsIn(readFileSync(file, 'utf8')).map((section) => ({ file, section })),
  );

  test('has every section that a comment or page cites', () => {
    expect(cited.filter(({ section }) => !sections.has(section))).toEqual([]);
    expect(cited.length).toBeGreaterThan(80);
  });

  test.each([
    ['(interface 5.3.2)', ['5.3.2']],
    ['`interface.md` 2.1, read', ['2.1']],
    ['/** interface.md 2.3, 2.4, 4.1, 4.3 and 4.4. */', ['2.3', '2.4', '4.1', '4.3', '4.4']],
    ['interface 4.3, rule 2: a', ['4.3', '4.3.2']],
    [' * Of a\n * token (interface\n   * 5.5, 5.8).', ['5.5', '5.8']],
    ['interface.md, Content localisation 4 and 5', ['Content localisation 4']],
    ['(interface, Tracing requests)', ['Tracing requests']],
  ])('is cited as in %j', (text, expected) => {
    expect(citationsIn(text)).toEqual(expected);
  });

  test('lacks what the interface does not have', () => {
    expect(['5.3.7', '4.6', '19', '4.3.6'].filter((section) => sections.has(section))).toEqual([]);
    expect(
      ['5.3.2', '4.3.5', '18', 'Tracing requests 2'].filter((section) => !sections.has(section)),
    ).toEqual([]);
  });
});
