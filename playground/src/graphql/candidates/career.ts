import type { Resume } from '../../data/candidates/resume.js';

/** The lists of a candidate profile that tell a career, by their name in the schema. */
export const careerOf: Readonly<Record<string, (resume: Resume) => object[]>> = {
  certifications: ({ certificate }) =>
    certificate === null
      ? []
      : [
          {
            name: certificate,
            issued: '2023-02',
            issueDate: '2023-02',
            issuingAuthority: { name: 'National Training Board' },
            effectiveTimePeriod: { validTo: '2028-02' },
            descriptions: [],
          },
        ],
  education: ({ institutions, degree }) =>
    institutions.map((name) => ({
      institution: { name },
      educationDegrees: [{ name: degree, degreeGrantedStatus: 'Granted', date: '2017' }],
      descriptions: [],
    })),
  employment: ({ employers, title }) =>
    employers.map((name, index) => ({
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
    })),
  qualifications: ({ competencies }) => competencies.map((competencyName) => ({ competencyName })),
};
