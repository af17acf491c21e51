import { localised, type Localised } from './localised.js';

/** A field of work; two levels. */
export interface JobCategory {
  readonly id: string;
  readonly name: Localised;
  readonly parentId: string | null;
  /** Titles that positions of this category have. */
  readonly titles: readonly string[];
}

type Row = readonly [suffix: string, en: string, id: string, th: string, titles?: readonly string[]];

const TREE: readonly (readonly [Row, ...Row[]])[] = [
  [
    ['2BGarNJkf', 'Information & Communication Technology', 'Teknologi Informasi & Komunikasi', 'เทคโนโลยีสารสนเทศและการสื่อสาร'],
    ['2EFstqFvP', 'Developers/Programmers', 'Pengembang/Pemrogram', 'นักพัฒนา/โปรแกรมเมอร์', ['Back End Developer', 'Mobile Developer', 'Front End Developer']],
    ['2FkXR4jWF', 'Engineering - Software', 'Rekayasa Perangkat Lunak', 'วิศวกรรมซอฟต์แวร์', ['Software Engineer', 'Site Reliability Engineer', 'Platform Engineer']],
  ],
  [
    ['2WejkktVM', 'Accounting', 'Akuntansi', 'การบัญชี'],
    ['CTriSTrf', 'Accounts Payable', 'Utang Usaha', 'บัญชีเจ้าหนี้', ['Accounts Payable Officer', 'Accounts Clerk']],
    ['2cdSPDcy5', 'Payroll', 'Penggajian', 'บัญชีเงินเดือน', ['Payroll Officer', 'Payroll Manager']],
  ],
  [
    ['2Ze2oDqf5', 'Construction', 'Konstruksi', 'การก่อสร้าง'],
    ['vHyJwnCo', 'Estimating', 'Estimasi', 'การประเมินราคา', ['Estimator', 'Senior Estimator']],
    ['2w67bem51', 'Contracts Management', 'Manajemen Kontrak', 'การบริหารสัญญา', ['Contracts Administrator', 'Contracts Manager']],
  ],
  [
    ['3HqVr6NcW', 'Healthcare & Medical', 'Kesehatan & Medis', 'การดูแลสุขภาพและการแพทย์'],
    ['3JsXt8PdY', 'Nursing', 'Keperawatan', 'การพยาบาล', ['Registered Nurse', 'Nurse Unit Manager', 'Enrolled Nurse', 'Midwife']],
    ['3KuZv2QfB', 'Pharmacy', 'Farmasi', 'เภสัชกรรม', ['Pharmacist', 'Pharmacy Assistant']],
  ],
  [
    ['3MwCx4RgD', 'Hospitality & Tourism', 'Perhotelan & Pariwisata', 'การบริการและการท่องเที่ยว'],
    ['3NyEz6ShF', 'Front Office & Guest Services', 'Kantor Depan & Layanan Tamu', 'แผนกต้อนรับและบริการแขก', ['Front Office Manager', 'Guest Service Agent', 'Concierge']],
    ['3PaGb8TjH', 'Chefs/Cooks', 'Koki', 'เชฟ/พ่อครัว', ['Sous Chef', 'Chef de Partie', 'Pastry Chef']],
  ],
  [
    ['3RcJd2UkK', 'Manufacturing, Transport & Logistics', 'Manufaktur, Transportasi & Logistik', 'การผลิต การขนส่งและโลจิสติกส์'],
    ['3SeLf4VmM', 'Warehousing, Storage & Distribution', 'Pergudangan & Distribusi', 'คลังสินค้าและการกระจายสินค้า', ['Warehouse Supervisor', 'Storeperson', 'Distribution Planner']],
    ['3TgNh6WnP', 'Road Transport', 'Transportasi Darat', 'การขนส่งทางถนน', ['Truck Driver', 'Fleet Coordinator']],
  ],
];

const ID_PREFIX = 'seekAnzPublicTest:jobCategory:seek:';

/** Every category by identifier, parents before their children. */
export function makeJobCategories(): Map<string, JobCategory> {
  const categories = new Map<string, JobCategory>();
  for (const [root, ...children] of TREE) {
    const rootId = add(categories, root, null);
    for (const child of children) add(categories, child, rootId);
  }
  return categories;
}

function add(categories: Map<string, JobCategory>, [suffix, en, id, th, titles = []]: Row, parentId: string | null): string {
  const category = { id: ID_PREFIX + suffix, name: localised(en, id, th), parentId, titles };
  categories.set(category.id, category);
  return category.id;
}
