import { SeededRandom } from '../random.js';

/** The career in a candidate profile. */
export interface Resume {
  readonly employers: readonly string[];
  readonly institutions: readonly string[];
  readonly competencies: readonly string[];
  readonly title: string;
  readonly degree: string;
  readonly certificate: string | null;
}

const EMPLOYERS = ['Wattle & Co', 'Kookaburra Foods', 'Garuda Teknik', 'Sawah Digital', 'Siam Retail', 'Lotus Bank', 'Coral Freight'];
const INSTITUTIONS = ['University of Southbank', 'Institut Teknologi Nusa', 'Rattana University', 'Harbour TAFE'];
const COMPETENCIES = ['Spreadsheets', 'Team leadership', 'Customer service', 'SQL', 'First aid', 'Forklift', 'English', 'Thai'];
const TITLES = ['Coordinator', 'Analyst', 'Supervisor', 'Assistant', 'Manager', 'Technician'];
const DEGREES = ['Bachelor of Business', 'Diploma of Nursing', 'Sarjana Komputer', 'Bachelor of Engineering'];

/** The same profile always has the same career, without keeping thousands of them. */
export function makeResume(profileId: string): Resume {
  const random = new SeededRandom(profileId);
  const some = (items: readonly string[]): string[] => items.filter(() => random.chance(0.35));
  return {
    employers: some(EMPLOYERS),
    institutions: [random.pick(INSTITUTIONS)],
    competencies: some(COMPETENCIES),
    title: random.pick(TITLES),
    degree: random.pick(DEGREES),
    certificate: random.chance(0.3) ? 'Working with Children Check' : null,
  };
}
