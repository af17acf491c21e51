import { tradeOf, type Hirer } from '../hirers/hirers.js';
import type { JobCategory } from '../ontologies/job-categories.js';
import { SeededRandom } from '../random.js';
import type { World } from '../world.js';
import type { CandidateProfile } from './candidate-records.js';

/** The career in a candidate profile, in the lists that the schema has for it. */
export interface Resume {
  readonly title: string;
  readonly certifications: readonly { readonly name: string }[];
  readonly education: readonly {
    readonly institution: { readonly name: string };
    readonly educationDegrees: readonly { readonly name: string }[];
  }[];
  readonly employment: readonly { readonly organization: { readonly name: string } }[];
  readonly qualifications: readonly { readonly competencyName: string }[];
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
const CERTIFICATE = {
  name: 'Working with Children Check',
  issued: '2023-02',
  issueDate: '2023-02',
  issuingAuthority: { name: 'National Training Board' },
  effectiveTimePeriod: { validTo: '2028-02' },
  descriptions: [],
};

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
  const worked = some(employers, 0.4);
  const institution = { name: random.pick(institutions) };
  const competencies = some([...skills, ...EVERYWHERE], 0.5);
  const title = random.pick(category.titles);
  const educationDegrees = [{ name: degree, degreeGrantedStatus: 'Granted', date: '2017' }];
  const studies = { institution, educationDegrees, descriptions: [] };
  return {
    title,
    certifications: random.chance(0.3) ? [CERTIFICATE] : [],
    education: [studies],
    employment: worked.map((name, index) => ({
      organization: { name },
      positionHistories: [
        {
          title,
          start: `${String(2021 - index * 3)}-03`,
          end: index === 0 ? null : `${String(2024 - index * 3)}-02`,
          current: index === 0,
          descriptions: [],
        },
      ],
    })),
    qualifications: competencies.map((competencyName) => ({ competencyName })),
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
