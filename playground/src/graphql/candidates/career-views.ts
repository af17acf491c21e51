import type { CandidateProfile } from '../../data/candidates/candidate-records.js';
import type { World } from '../../data/world.js';
import { makeResume, type Resume } from '../../data/candidates/resume.js';

/** The career in a candidate profile: the lists that the schema has for it. */
export interface CareerViews {
  readonly certifications: object[];
  readonly education: object[];
  readonly employment: object[];
  readonly qualifications: object[];
}

/** The career of a profile, as the schema has it. */
export function careerViews(profile: CandidateProfile, world: World): CareerViews {
  const resume = makeResume(profile, world);
  return {
    certifications: certifications(resume),
    education: education(resume),
    employment: employment(resume),
    qualifications: resume.competencies.map((competencyName) => ({ competencyName })),
  };
}

function certifications({ certificate }: Resume): object[] {
  if (certificate === null) return [];
  return [
    {
      name: certificate,
      issued: '2023-02',
      issueDate: '2023-02',
      issuingAuthority: { name: 'National Training Board' },
      effectiveTimePeriod: { validTo: '2028-02' },
      descriptions: [],
    },
  ];
}

function education({ institutions, degree }: Resume): object[] {
  return institutions.map((name) => ({
    institution: { name },
    educationDegrees: [{ name: degree, degreeGrantedStatus: 'Granted', date: '2017' }],
    descriptions: [],
  }));
}

function employment({ employers, title }: Resume): object[] {
  return employers.map((name, index) => ({
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
  }));
}
