import { localised, type Localised } from './localised.js';

/** A field of work; two levels. */
export interface JobCategory {
  readonly id: string;
  readonly name: Localised;
  readonly parentId: string | null;
  /** Titles that positions of this category have. */
  readonly titles: readonly Localised[];
}

type Title = readonly [en: string, id: string, th: string];
type Row = readonly [suffix: string, ...name: Title, titles?: readonly Title[]];

const TREE: readonly (readonly [Row, ...Row[]])[] = [
  [
    ['2BGarNJkf', 'Information & Communication Technology', 'Teknologi Informasi & Komunikasi', 'เทคโนโลยีสารสนเทศและการสื่อสาร'],
    ['2EFstqFvP', 'Developers/Programmers', 'Pengembang/Pemrogram', 'นักพัฒนา/โปรแกรมเมอร์', [
        ['Back End Developer', 'Pengembang Back End', 'นักพัฒนาระบบหลังบ้าน'],
        ['Mobile Developer', 'Pengembang Aplikasi Seluler', 'นักพัฒนาแอปมือถือ'],
        ['Front End Developer', 'Pengembang Front End', 'นักพัฒนาหน้าเว็บ'],
      ]],
    ['2FkXR4jWF', 'Engineering - Software', 'Rekayasa Perangkat Lunak', 'วิศวกรรมซอฟต์แวร์', [
        ['Software Engineer', 'Insinyur Perangkat Lunak', 'วิศวกรซอฟต์แวร์'],
        ['Site Reliability Engineer', 'Insinyur Keandalan Sistem', 'วิศวกรดูแลเสถียรภาพระบบ'],
        ['Platform Engineer', 'Insinyur Platform', 'วิศวกรแพลตฟอร์ม'],
      ]],
  ],
  [
    ['2WejkktVM', 'Accounting', 'Akuntansi', 'การบัญชี'],
    ['CTriSTrf', 'Accounts Payable', 'Utang Usaha', 'บัญชีเจ้าหนี้', [
        ['Accounts Payable Officer', 'Staf Utang Usaha', 'เจ้าหน้าที่บัญชีเจ้าหนี้'],
        ['Accounts Clerk', 'Staf Administrasi Akuntansi', 'เสมียนบัญชี'],
      ]],
    ['2cdSPDcy5', 'Payroll', 'Penggajian', 'บัญชีเงินเดือน', [
        ['Payroll Officer', 'Staf Penggajian', 'เจ้าหน้าที่เงินเดือน'],
        ['Payroll Manager', 'Manajer Penggajian', 'ผู้จัดการเงินเดือน'],
      ]],
  ],
  [
    ['2Ze2oDqf5', 'Construction', 'Konstruksi', 'การก่อสร้าง'],
    ['vHyJwnCo', 'Estimating', 'Estimasi', 'การประเมินราคา', [
        ['Estimator', 'Estimator', 'เจ้าหน้าที่ประเมินราคา'],
        ['Senior Estimator', 'Estimator Senior', 'เจ้าหน้าที่ประเมินราคาอาวุโส'],
      ]],
    ['2w67bem51', 'Contracts Management', 'Manajemen Kontrak', 'การบริหารสัญญา', [
        ['Contracts Administrator', 'Administrator Kontrak', 'เจ้าหน้าที่สัญญา'],
        ['Contracts Manager', 'Manajer Kontrak', 'ผู้จัดการสัญญา'],
      ]],
  ],
  [
    ['3HqVr6NcW', 'Healthcare & Medical', 'Kesehatan & Medis', 'การดูแลสุขภาพและการแพทย์'],
    ['3JsXt8PdY', 'Nursing', 'Keperawatan', 'การพยาบาล', [
        ['Registered Nurse', 'Perawat Terdaftar', 'พยาบาลวิชาชีพ'],
        ['Nurse Unit Manager', 'Kepala Ruang Perawatan', 'หัวหน้าหอผู้ป่วย'],
        ['Enrolled Nurse', 'Perawat Vokasi', 'ผู้ช่วยพยาบาล'],
        ['Midwife', 'Bidan', 'พยาบาลผดุงครรภ์'],
      ]],
    ['3KuZv2QfB', 'Pharmacy', 'Farmasi', 'เภสัชกรรม', [
        ['Pharmacist', 'Apoteker', 'เภสัชกร'],
        ['Pharmacy Assistant', 'Asisten Apoteker', 'ผู้ช่วยเภสัชกร'],
      ]],
  ],
  [
    ['3MwCx4RgD', 'Hospitality & Tourism', 'Perhotelan & Pariwisata', 'การบริการและการท่องเที่ยว'],
    ['3NyEz6ShF', 'Front Office & Guest Services', 'Kantor Depan & Layanan Tamu', 'แผนกต้อนรับและบริการแขก', [
        ['Front Office Manager', 'Manajer Kantor Depan', 'ผู้จัดการแผนกต้อนรับ'],
        ['Guest Service Agent', 'Petugas Layanan Tamu', 'พนักงานบริการแขก'],
        ['Concierge', 'Concierge', 'พนักงานอำนวยความสะดวกแขก'],
      ]],
    ['3PaGb8TjH', 'Chefs/Cooks', 'Koki', 'เชฟ/พ่อครัว', [
        ['Sous Chef', 'Sous Chef', 'รองหัวหน้าเชฟ'],
        ['Chef de Partie', 'Chef de Partie', 'หัวหน้าแผนกครัว'],
        ['Pastry Chef', 'Koki Pastry', 'เชฟขนมอบ'],
      ]],
  ],
  [
    ['3RcJd2UkK', 'Manufacturing, Transport & Logistics', 'Manufaktur, Transportasi & Logistik', 'การผลิต การขนส่งและโลจิสติกส์'],
    ['3SeLf4VmM', 'Warehousing, Storage & Distribution', 'Pergudangan & Distribusi', 'คลังสินค้าและการกระจายสินค้า', [
        ['Warehouse Supervisor', 'Supervisor Gudang', 'หัวหน้าคลังสินค้า'],
        ['Storeperson', 'Petugas Gudang', 'พนักงานคลังสินค้า'],
        ['Distribution Planner', 'Perencana Distribusi', 'เจ้าหน้าที่วางแผนกระจายสินค้า'],
      ]],
    ['3TgNh6WnP', 'Road Transport', 'Transportasi Darat', 'การขนส่งทางถนน', [
        ['Truck Driver', 'Pengemudi Truk', 'พนักงานขับรถบรรทุก'],
        ['Fleet Coordinator', 'Koordinator Armada', 'เจ้าหน้าที่ประสานงานยานพาหนะ'],
      ]],
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
  const category = { id: ID_PREFIX + suffix, name: localised(en, id, th), parentId, titles: titles.map((title) => localised(...title)) };
  categories.set(category.id, category);
  return category.id;
}
