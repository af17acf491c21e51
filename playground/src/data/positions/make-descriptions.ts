import { MARKET_LOCALES, type Hirer } from '../hirers/hirers.js';
import type { Locale } from '../ontologies/localised.js';
import type { Description } from './position-records.js';
import type { SeededRandom } from '../random.js';

/** The texts of ads in one language. */
interface Wording {
  readonly opening: (hirer: string, title: string, team: string) => string;
  readonly teams: readonly string[];
  readonly tasksTitle: string;
  readonly tasks: readonly string[];
  readonly offersTitle: string;
  readonly offers: readonly string[];
  readonly closing: string;
  readonly summary: (hirer: string, title: string) => string;
}

const WORDING: Readonly<Record<Locale, Wording>> = {
  'en-AU': {
    opening: (hirer, title, team) => `Work as ${title} at ${hirer}, in ${team}.`,
    teams: ['a small team', 'a team of twelve', 'colleagues in three locations', 'an experienced team'],
    tasksTitle: 'Your work',
    tasks: [
      'Plan the work of the week with your team.',
      'Keep records complete and up to date.',
      'Answer questions from customers and colleagues.',
      'Find out what goes wrong, and put it right.',
      'Train new colleagues.',
      'Report each month on what you have achieved.',
    ],
    offersTitle: 'What we offer',
    offers: ['Flexible hours', 'Paid training', 'Free parking', 'Work close to home', 'A day off on your birthday'],
    closing: 'Apply now. We answer within two weeks.',
    summary: (hirer, title) => `Join ${hirer} as ${title}.`,
  },
  'id-ID': {
    opening: (hirer, title, team) => `${hirer} mencari ${title} untuk bergabung dengan ${team}.`,
    teams: ['tim kecil', 'tim beranggotakan dua belas orang', 'rekan kerja di tiga lokasi', 'tim yang berpengalaman'],
    tasksTitle: 'Tugas Anda',
    tasks: [
      'Merencanakan pekerjaan mingguan bersama tim.',
      'Menjaga catatan tetap lengkap dan terbaru.',
      'Menjawab pertanyaan pelanggan dan rekan kerja.',
      'Menemukan masalah dan memperbaikinya.',
      'Melatih karyawan baru.',
      'Melaporkan hasil kerja setiap bulan.',
    ],
    offersTitle: 'Yang kami tawarkan',
    offers: ['Jam kerja fleksibel', 'Pelatihan dibayar', 'Parkir gratis', 'Lokasi dekat rumah', 'Libur di hari ulang tahun'],
    closing: 'Lamar sekarang. Kami menjawab dalam dua minggu.',
    summary: (hirer, title) => `Bergabunglah dengan ${hirer} sebagai ${title}.`,
  },
  'th-TH': {
    opening: (hirer, title, team) => `${hirer} กำลังมองหา${title} เพื่อร่วมงานกับ${team}`,
    teams: ['ทีมขนาดเล็ก', 'ทีมสิบสองคน', 'เพื่อนร่วมงานในสามสาขา', 'ทีมที่มีประสบการณ์'],
    tasksTitle: 'หน้าที่ของคุณ',
    tasks: [
      'วางแผนงานประจำสัปดาห์ร่วมกับทีม',
      'ดูแลบันทึกให้ครบถ้วนและเป็นปัจจุบัน',
      'ตอบคำถามของลูกค้าและเพื่อนร่วมงาน',
      'ค้นหาปัญหาและแก้ไข',
      'สอนงานพนักงานใหม่',
      'รายงานผลงานทุกเดือน',
    ],
    offersTitle: 'สิ่งที่เรามอบให้',
    offers: ['เวลาทำงานยืดหยุ่น', 'อบรมโดยได้รับค่าจ้าง', 'ที่จอดรถฟรี', 'ทำงานใกล้บ้าน', 'วันหยุดในวันเกิด'],
    closing: 'สมัครเลย เราจะตอบกลับภายในสองสัปดาห์',
    summary: (hirer, title) => `ร่วมงานกับ ${hirer} ในตำแหน่ง${title}`,
  },
};

/** The texts of an ad in the language of its market: its details with tasks and offers, a summary, and bullet points. */
export function makeDescriptions(title: string, { name, market }: Hirer, random: SeededRandom): Description[] {
  const wording = WORDING[MARKET_LOCALES[market]];
  const tasks = wording.tasks.filter(() => random.chance(0.6));
  const offers = wording.offers.filter(() => random.chance(0.5)).slice(0, 3);
  const list = (items: readonly string[]): string => `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
  const details = [
    `<p>${wording.opening(name, title, random.pick(wording.teams))}</p>`,
    tasks.length === 0 ? '' : `<p><strong>${wording.tasksTitle}</strong></p>${list(tasks)}`,
    offers.length === 0 ? '' : `<p><strong>${wording.offersTitle}</strong></p>${list(offers)}`,
    `<p>${wording.closing}</p>`,
  ];
  return [
    { descriptionId: 'AdvertisementDetails', content: details.join('') },
    { descriptionId: 'SearchSummary', content: wording.summary(name, title) },
    ...offers.map((content) => ({ descriptionId: 'SearchBulletPoint', content })),
  ];
}
