import { tradeOf, type Market } from '../hirers.js';
import { CATEGORY_PREFIX } from '../ontologies.js';
import { SeededRandom } from '../random.js';
import { readTable } from '../tables.js';
import type { World } from '../world.js';
import type { CandidateProfile } from './candidate-records.js';

/** The career in a candidate profile, in the lists that the schema has for it. */
export type Resume = ReturnType<typeof makeResume>;

/** Where people of a market worked and learned, and what people of a trade can, by the end of its identifier. */
const CAREERS = readTable<{
  readonly places: Readonly<
    Record<Market, Readonly<Record<'employers' | 'institutions', readonly string[]>>>
  >;
  readonly learning: Readonly<
    Record<string, { readonly degree: string; readonly skills: readonly string[] }>
  >;
  readonly everywhere: readonly string[];
  readonly certificate: { readonly name: string };
}>('careers');

/**
 * The same profile always has the same career, of its hirer's trade, without keeping thousands of them.
 */
export function makeResume({ id, hirerId }: CandidateProfile, world: World) {
  const { places, learning, everywhere, certificate } = CAREERS;
  const hirer = world.hirers.get(hirerId)!;
  const random = new SeededRandom(id);
  const { employers, institutions } = places[hirer.market];
  const category = random.pick(tradeOf(hirer, world));
  const { degree, skills } = learning[category.parentId!.slice(CATEGORY_PREFIX.length)]!;
  const some = <T>(items: readonly T[], probability: number): T[] =>
    items.filter(() => random.chance(probability));
  const worked = some(employers, 0.4);
  const institution = { name: random.pick(institutions) };
  const competencies = some([...skills, ...everywhere], 0.5);
  const title = random.pick(category.titles);
  const educationDegrees = [{ name: degree, degreeGrantedStatus: 'Granted', date: '2017' }];
  const studies = { institution, educationDegrees, descriptions: [] };
  return {
    title,
    certifications: random.chance(0.3) ? [certificate] : [],
    education: [studies],
    employment: worked.map((name, index) => {
      const start = `${String(2021 - index * 3)}-03`;
      const end = index === 0 ? null : `${String(2024 - index * 3)}-02`;
      const position = { title, start, end, current: index === 0, descriptions: [] };
      return { organization: { name }, positionHistories: [position] };
    }),
    qualifications: competencies.map((competencyName) => ({ competencyName })),
  };
}
