import { MARKET_LOCALES, type Hirer } from '../hirers/hirers.js';
import { tradeOf } from '../hirers/trade.js';
import type { JobCategory } from '../ontologies/job-categories.js';
import { localised, type Locale, type Localised } from '../ontologies/localised.js';
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
const PLACES: Readonly<Record<Locale, { readonly employers: readonly string[]; readonly institutions: readonly string[] }>> = {
  'en-AU': {
    employers: ['Wattle & Co', 'Kookaburra Group', 'Coral Bay Services', 'Ironbark Partners', 'Murray Valley Co-op'],
    institutions: ['University of Southbank', 'Harbour TAFE', 'Murray College'],
  },
  'id-ID': {
    employers: ['PT Garuda Teknik', 'PT Sawah Abadi', 'CV Melati Jaya', 'PT Samudra Raya', 'PT Bukit Hijau'],
    institutions: ['Institut Teknologi Nusa', 'Universitas Merapi', 'Politeknik Surya'],
  },
  'th-TH': {
    employers: ['สยามบริการ', 'โลตัสกรุ๊ป', 'ริมน้ำพาณิชย์', 'ช้างทองอุตสาหกรรม', 'อันดามันเซอร์วิส'],
    institutions: ['มหาวิทยาลัยรัตนา', 'วิทยาลัยเจ้าพระยา', 'สถาบันล้านนา'],
  },
};

interface Learning {
  readonly degree: Localised;
  readonly skills: readonly Localised[];
}

/** What people of a trade learned, by the end of its category's identifier. */
const LEARNING: Readonly<Record<string, Learning>> = {
  '2BGarNJkf': {
    degree: localised('Bachelor of Computer Science', 'Sarjana Komputer', 'วิทยาศาสตรบัณฑิต (คอมพิวเตอร์)'),
    skills: [localised('SQL', 'SQL', 'SQL'), localised('Cloud services', 'Layanan cloud', 'บริการคลาวด์'), localised('Code review', 'Tinjauan kode', 'การตรวจทานโค้ด')],
  },
  '2WejkktVM': {
    degree: localised('Bachelor of Commerce', 'Sarjana Akuntansi', 'บัญชีบัณฑิต'),
    skills: [localised('Spreadsheets', 'Spreadsheet', 'สเปรดชีต'), localised('Month-end closing', 'Tutup buku bulanan', 'การปิดบัญชีรายเดือน'), localised('Payroll tax', 'Pajak penghasilan', 'ภาษีเงินได้')],
  },
  '2Ze2oDqf5': {
    degree: localised('Bachelor of Construction Management', 'Sarjana Teknik Sipil', 'วิศวกรรมศาสตรบัณฑิต (โยธา)'),
    skills: [localised('Reading plans', 'Membaca gambar teknik', 'การอ่านแบบ'), localised('Site safety', 'Keselamatan kerja', 'ความปลอดภัยหน้างาน'), localised('Cost control', 'Pengendalian biaya', 'การควบคุมต้นทุน')],
  },
  '3HqVr6NcW': {
    degree: localised('Bachelor of Nursing', 'Sarjana Keperawatan', 'พยาบาลศาสตรบัณฑิต'),
    skills: [localised('Medication management', 'Pengelolaan obat', 'การบริหารยา'), localised('Wound care', 'Perawatan luka', 'การดูแลแผล'), localised('First aid', 'Pertolongan pertama', 'การปฐมพยาบาล')],
  },
  '3MwCx4RgD': {
    degree: localised('Diploma of Hospitality', 'Diploma Perhotelan', 'ประกาศนียบัตรการโรงแรม'),
    skills: [localised('Guest service', 'Layanan tamu', 'การบริการแขก'), localised('Food safety', 'Keamanan pangan', 'ความปลอดภัยด้านอาหาร'), localised('Booking systems', 'Sistem reservasi', 'ระบบจองห้องพัก')],
  },
  '3RcJd2UkK': {
    degree: localised('Diploma of Logistics', 'Diploma Logistik', 'ประกาศนียบัตรโลจิสติกส์'),
    skills: [localised('Forklift', 'Forklift', 'รถยก'), localised('Stock control', 'Pengendalian stok', 'การควบคุมสต็อก'), localised('Route planning', 'Perencanaan rute', 'การวางแผนเส้นทาง')],
  },
};

const EVERYWHERE: readonly Localised[] = [
  localised('Team leadership', 'Kepemimpinan tim', 'การนำทีม'),
  localised('Customer service', 'Layanan pelanggan', 'การบริการลูกค้า'),
  localised('English', 'Bahasa Inggris', 'ภาษาอังกฤษ'),
];
const CERTIFICATE = localised('Working with Children Check', 'Sertifikat K3 Umum', 'ใบรับรองการปฐมพยาบาล');

/**
 * The same profile always has the same career, of its hirer's trade and in its own language, without keeping thousands
 * of them.
 */
export function makeResume({ id, hirerId, locale: written }: CandidateProfile, world: World): Resume {
  const hirer = requireHirer(hirerId, world);
  const random = new SeededRandom(id);
  const locale = written ?? MARKET_LOCALES[hirer.market];
  const { employers, institutions } = PLACES[locale];
  const category = random.pick(tradeOf(hirer, world));
  const { degree, skills } = learningOf(category);
  const some = <T>(items: readonly T[], probability: number): T[] => items.filter(() => random.chance(probability));
  return {
    employers: some(employers, 0.4),
    institutions: [random.pick(institutions)],
    competencies: some([...skills, ...EVERYWHERE], 0.5).map((skill) => skill[locale]),
    title: random.pick(category.titles)[locale],
    degree: degree[locale],
    certificate: random.chance(0.3) ? CERTIFICATE[locale] : null,
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
