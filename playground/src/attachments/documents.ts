import { makeResume, type Resume } from '../data/candidates/resume.js';
import type { Attachment } from '../data/records.js';
import type { World } from '../data/world.js';

/** The paragraphs of a file of an application: who applies for what, and the career of the candidate. */
export function documentOf({ profileId, roleCode }: Attachment, world: World): string[] {
  const profile = world.candidateProfiles.get(profileId);
  const person = world.candidates.get(profile?.candidateId ?? '')?.person;
  if (profile === undefined || person === undefined || roleCode === null) {
    return ['Sample', 'Made by the playground.'];
  }
  const { email, phone } = person.communication;
  const ways = [...email.map((one) => one.address), ...phone.map((one) => one.formattedNumber)].join(' · ');
  const position = world.positionProfiles.get(profile.positionProfileId ?? '')?.positionTitle ?? '';
  const hirer = world.hirers.get(profile.hirerId)?.name ?? '';
  const reason = `I am applying for the position of ${position} at ${hirer}.`;
  const resume = makeResume(profile, world);
  const skills = resume.qualifications.map(({ competencyName }) => competencyName);
  return [person.name.formattedName, ways, roleCode, reason, ...careerOf(resume), ...skills];
}

function careerOf({ employment, education, certifications, title }: Resume): string[] {
  return [
    ...employment.map(({ organization }) => `${title}, ${organization.name}`),
    ...education.map((one) => `${one.educationDegrees[0]!.name}, ${one.institution.name}`),
    ...certifications.map(({ name }) => name),
  ];
}
