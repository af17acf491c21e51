import { makeResume, type Resume } from '../data/candidates/resume.js';
import { MARKET_LOCALES } from '../data/hirers/hirers.js';
import type { Locale } from '../data/ontologies/localised.js';
import type { CandidateProfile } from '../data/candidates/candidate-records.js';
import type { Attachment } from '../data/records.js';
import type { World } from '../data/world.js';
import type { Document, Section } from './document.js';

/** The texts of an application's documents in one language. */
interface Wording {
  readonly profile: string;
  readonly summary: (resume: Resume) => string;
  readonly employment: string;
  readonly education: string;
  readonly skills: string;
  readonly certificates: string;
  readonly greeting: string;
  readonly applying: (title: string, hirer: string) => string;
  readonly experience: (resume: Resume) => string;
  readonly closing: string;
  readonly criteria: string;
  readonly criterion: (skill: string) => string;
}

const WORDING: Readonly<Record<Locale, Wording>> = {
  'en-AU': {
    profile: 'Profile',
    summary: ({ title }) => `${title} who enjoys working with people and finishing what was started.`,
    employment: 'Employment',
    education: 'Education',
    skills: 'Skills',
    certificates: 'Certificates',
    greeting: 'Dear hiring team,',
    applying: (title, hirer) => `I am applying for the position of ${title} at ${hirer}.`,
    experience: ({ title }) =>
      `As ${title} I have done work like this for several years, and I would like to learn more.`,
    closing: 'Kind regards,',
    criteria: 'Selection criteria',
    criterion: (skill) =>
      `In my last position I used this every week and helped others to learn it (${skill}).`,
  },
  'id-ID': {
    profile: 'Profil',
    summary: ({ title }) => `${title} yang senang bekerja dengan orang lain dan menyelesaikan tugas.`,
    employment: 'Pengalaman kerja',
    education: 'Pendidikan',
    skills: 'Keahlian',
    certificates: 'Sertifikat',
    greeting: 'Kepada tim perekrutan,',
    applying: (title, hirer) => `Saya melamar posisi ${title} di ${hirer}.`,
    experience: ({ title }) =>
      `Sebagai ${title}, saya sudah melakukan pekerjaan seperti ini selama beberapa tahun.`,
    closing: 'Hormat saya,',
    criteria: 'Kriteria seleksi',
    criterion: (skill) => `Saya memakai keahlian ini setiap minggu di pekerjaan terakhir saya (${skill}).`,
  },
  'th-TH': {
    profile: 'ข้อมูลโดยย่อ',
    summary: ({ title }) => `${title} ชอบทำงานร่วมกับผู้อื่นและทำงานให้เสร็จ`,
    employment: 'ประสบการณ์ทำงาน',
    education: 'การศึกษา',
    skills: 'ทักษะ',
    certificates: 'ใบรับรอง',
    greeting: 'เรียน ทีมสรรหาบุคลากร',
    applying: (title, hirer) => `ขอสมัครงานตำแหน่ง ${title} ที่ ${hirer}`,
    experience: ({ title }) => `เคยทำงานในตำแหน่ง ${title} มาหลายปี`,
    closing: 'ขอแสดงความนับถือ',
    criteria: 'เกณฑ์การคัดเลือก',
    criterion: (skill) => `ใช้ทักษะนี้ทุกสัปดาห์ในงานล่าสุด (${skill})`,
  },
};

/** The text of a file that belongs to no application. */
const SAMPLE: Document = {
  title: 'Sample',
  subtitle: '',
  sections: [{ heading: null, paragraphs: ['Made by the playground.'] }],
};

/** The page that a file of an application holds: a résumé, a letter or answers to the criteria, as its role says. */
export function documentOf({ profileId, roleCode }: Attachment, world: World): Document {
  const profile = world.candidateProfiles.get(profileId);
  const person = world.candidates.get(profile?.candidateId ?? '')?.person;
  if (profile === undefined || person === undefined) return SAMPLE;
  const resume = makeResume(profile, world);
  const wording = WORDING[localeOf(profile, world)];
  const address = { title: person.formattedName, subtitle: [...person.emails, ...person.phones].join(' · ') };
  switch (roleCode) {
    case 'Resume':
      return { ...address, sections: resumeSections(resume, wording) };
    case 'CoverLetter': {
      const position = world.positionProfiles.get(profile.positionProfileId ?? '');
      const hirer = world.hirers.get(profile.hirerId)?.name ?? '';
      const lines = [
        wording.greeting,
        wording.applying(position?.title ?? '', hirer),
        wording.experience(resume),
      ];
      const paragraphs = [...lines, wording.closing, person.formattedName];
      return { ...address, sections: [{ heading: null, paragraphs }] };
    }
    case 'SelectionCriteria':
      return { ...address, title: wording.criteria, sections: criteriaSections(resume, wording) };
    case null:
      return SAMPLE;
  }
}

function localeOf({ locale, hirerId }: CandidateProfile, world: World): Locale {
  return locale ?? MARKET_LOCALES[world.hirers.get(hirerId)?.market ?? 'AU'];
}

function resumeSections(resume: Resume, wording: Wording): Section[] {
  const { employers, institutions, competencies, certificate, title, degree } = resume;
  const sections: Section[] = [
    { heading: wording.profile, paragraphs: [wording.summary(resume)] },
    { heading: wording.employment, paragraphs: employers.map((employer) => `${title}, ${employer}`) },
    {
      heading: wording.education,
      paragraphs: institutions.map((institution) => `${degree}, ${institution}`),
    },
    { heading: wording.skills, paragraphs: competencies.length === 0 ? [] : [competencies.join(', ')] },
    { heading: wording.certificates, paragraphs: certificate === null ? [] : [certificate] },
  ];
  return sections.filter(({ paragraphs }) => paragraphs.length > 0);
}

function criteriaSections({ competencies }: Resume, wording: Wording): Section[] {
  return competencies.map((skill) => ({ heading: skill, paragraphs: [wording.criterion(skill)] }));
}
