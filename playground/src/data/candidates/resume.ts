import type { Hirer } from '../hirers/hirers.js';
import { tradeOf } from '../hirers/trade.js';
import type { JobCategory } from '../ontologies/job-categories.js';
import { SeededRandom } from '../random.js';
import type { World } from '../world.js';
import type { CandidateProfile } from './candidate-records.js';

/** The career in a candidate profile. */
export interface Resume {
  readonly employers: readonly string[];
  readonly institutions: readonly string[];
  readonly competencies: readonly string[];
  readonly title: string;
  readonly degree: string;
  readonly certificate: string | null;
}

/** Where people of a market worked and learned. */
const PLACES: Readonly<Record<Hirer['market'], { readonly employers: readonly string[]; readonly institutions: readonly string[] }>> = {
  AU: {
    employers: ['Wattle & Co', 'Kookaburra Group', 'Coral Bay Services', 'Ironbark Partners', 'Murray Valley Co-op'],
    institutions: ['University of Southbank', 'Harbour TAFE', 'Murray College'],
  },
  ID: {
    employers: ['PT Garuda Teknik', 'PT Sawah Abadi', 'CV Melati Jaya', 'PT Samudra Raya', 'PT Bukit Hijau'],
    institutions: ['Institut Teknologi Nusa', 'Universitas Merapi', 'Politeknik Surya'],
  },
  TH: {
    employers: ['สยามบริการ', 'โลตัสกรุ๊ป', 'ริมน้ำพาณิชย์', 'ช้างทองอุตสาหกรรม', 'อันดามันเซอร์วิส'],
    institutions: ['มหาวิทยาลัยรัตนา', 'วิทยาลัยเจ้าพระยา', 'สถาบันล้านนา'],
  },
};

interface Learning {
  readonly degree: string;
  readonly skills: readonly string[];
}

/** What people of a trade learned, by the end of its category's identifier. */
const LEARNING: Readonly<Record<string, Learning>> = {
  '2BGarNJkf': {
    degree: 'Bachelor of Computer Science',
    skills: ['SQL', 'Cloud services', 'Code review'],
  },
  '2WejkktVM': {
    degree: 'Bachelor of Commerce',
    skills: ['Spreadsheets', 'Month-end closing', 'Payroll tax'],
  },
  '2Ze2oDqf5': {
    degree: 'Bachelor of Construction Management',
    skills: ['Reading plans', 'Site safety', 'Cost control'],
  },
  '3HqVr6NcW': {
    degree: 'Bachelor of Nursing',
    skills: ['Medication management', 'Wound care', 'First aid'],
  },
  '3MwCx4RgD': {
    degree: 'Diploma of Hospitality',
    skills: ['Guest service', 'Food safety', 'Booking systems'],
  },
  '3RcJd2UkK': {
    degree: 'Diploma of Logistics',
    skills: ['Forklift', 'Stock control', 'Route planning'],
  },
};

const EVERYWHERE = [
  'Team leadership',
  'Customer service',
  'English',
];
const CERTIFICATE = 'Working with Children Check';

/**
 * The same profile always has the same career, of its hirer's trade, without keeping thousands of them.
 */
export function makeResume({ id, hirerId }: CandidateProfile, world: World): Resume {
  const hirer = requireHirer(hirerId, world);
  const random = new SeededRandom(id);
  const { employers, institutions } = PLACES[hirer.market];
  const category = random.pick(tradeOf(hirer, world));
  const { degree, skills } = learningOf(category);
  const some = <T>(items: readonly T[], probability: number): T[] => items.filter(() => random.chance(probability));
  return {
    employers: some(employers, 0.4),
    institutions: [random.pick(institutions)],
    competencies: some([...skills, ...EVERYWHERE], 0.5),
    title: random.pick(category.titles),
    degree,
    certificate: random.chance(0.3) ? CERTIFICATE : null,
  };
}

function requireHirer(id: string, { hirers }: World): Hirer {
  const hirer = hirers.get(id);
  if (hirer === undefined) throw new Error(`There is no hirer ${id}`);
  return hirer;
}

function learningOf({ parentId }: JobCategory): Learning {
  const learning = LEARNING[parentId?.split(':').at(-1) ?? ''];
  if (learning === undefined) throw new Error(`Nothing is learned for ${String(parentId)}`);
  return learning;
}
