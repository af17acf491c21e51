import { makeResume, type Resume } from '../data/candidates/resume.js';
import type { Attachment } from '../data/records.js';
import type { World } from '../data/world.js';
import type { Document, Section } from './document.js';

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
  if (profile === undefined || person === undefined || roleCode === null) return SAMPLE;
  const resume = makeResume(profile, world);
  const { formattedName } = person.name;
  const { email, phone } = person.communication;
  const ways = [...email.map((one) => one.address), ...phone.map(({ formattedNumber }) => formattedNumber)];
  const address = { title: formattedName, subtitle: ways.join(' · ') };
  switch (roleCode) {
    case 'Resume':
      return { ...address, sections: resumeSections(resume) };
    case 'CoverLetter': {
      const position = world.positionProfiles.get(profile.positionProfileId ?? '')?.positionTitle ?? '';
      const hirer = world.hirers.get(profile.hirerId)?.name ?? '';
      const paragraphs = [
        'Dear hiring team,',
        `I am applying for the position of ${position} at ${hirer}.`,
        `As ${resume.title} I have done work like this for several years, and I would like to learn more.`,
        'Kind regards,',
        formattedName,
      ];
      return { ...address, sections: [{ heading: null, paragraphs }] };
    }
    case 'SelectionCriteria':
      return { ...address, title: 'Selection criteria', sections: criteriaSections(resume) };
  }
}

function resumeSections({ employment, education, qualifications, certifications, title }: Resume): Section[] {
  const skills = qualifications.map(({ competencyName }) => competencyName);
  const sections: Section[] = [
    { heading: 'Employment', paragraphs: employment.map((one) => `${title}, ${one.organization.name}`) },
    {
      heading: 'Education',
      paragraphs: education.map((one) => `${one.educationDegrees[0]!.name}, ${one.institution.name}`),
    },
    { heading: 'Skills', paragraphs: skills.length === 0 ? [] : [skills.join(', ')] },
    { heading: 'Certificates', paragraphs: certifications.map(({ name }) => name) },
  ];
  return sections.filter(({ paragraphs }) => paragraphs.length > 0);
}

function criteriaSections({ qualifications }: Resume): Section[] {
  return qualifications.map(({ competencyName: heading }) => ({
    heading,
    paragraphs: ['In my last position I used this every week and helped others to learn it.'],
  }));
}
