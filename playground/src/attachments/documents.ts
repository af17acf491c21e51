import { makeResume, type Resume } from '../data/candidates/resume.js';
import type { Attachment } from '../data/records.js';
import type { World } from '../data/world.js';

/** The paragraphs of a file of an application, its title first: a résumé, a letter or answers to criteria, by its role. */
export function documentOf({ profileId, roleCode }: Attachment, world: World): string[] {
  const profile = world.candidateProfiles.get(profileId);
  const person = world.candidates.get(profile?.candidateId ?? '')?.person;
  if (profile === undefined || person === undefined || roleCode === null) {
    return ['Sample', 'Made by the playground.'];
  }
  const { formattedName: name } = person.name;
  const { email, phone } = person.communication;
  const ways = [...email.map((one) => one.address), ...phone.map((one) => one.formattedNumber)].join(' · ');
  const resume = makeResume(profile, world);
  const skills = resume.qualifications.map(({ competencyName }) => competencyName);
  switch (roleCode) {
    case 'Resume':
      return [name, ways, ...careerOf(resume), ...skills];
    case 'CoverLetter': {
      const position = world.positionProfiles.get(profile.positionProfileId ?? '')?.positionTitle ?? '';
      const hirer = world.hirers.get(profile.hirerId)?.name ?? '';
      return [
        name,
        ways,
        'Dear hiring team,',
        `I am applying for the position of ${position} at ${hirer}.`,
        `As ${resume.title} I have done work like this for several years, and I would like to learn more.`,
        'Kind regards,',
        name,
      ];
    }
    case 'SelectionCriteria': {
      const about = 'In my last position I used this every week and helped others to learn it.';
      return ['Selection criteria', ways, ...skills.map((skill) => `${skill}: ${about}`)];
    }
  }
}

function careerOf({ employment, education, certifications, title }: Resume): string[] {
  return [
    ...employment.map(({ organization }) => `${title}, ${organization.name}`),
    ...education.map((one) => `${one.educationDegrees[0]!.name}, ${one.institution.name}`),
    ...certifications.map(({ name }) => name),
  ];
}
