const NAMES: Readonly<Record<string, string>> = {
  FullTime: 'Full time',
  PartTime: 'Part time',
  ContractTemp: 'Contract or temporary',
  Casual: 'Casual',
  Application: 'Applied',
  HirerShortlist: 'Shortlisted',
  Interview: 'Interview',
  TestingOrQualificationsCheck: 'Assessment or qualifications check',
  ReferenceCheck: 'Reference check',
  Offer: 'Offer',
  Successful: 'Hired',
  Unsuccessful: 'Not chosen',
};

/** The kinds of work that the upstream knows. */
export const WORK_TYPES = ['FullTime', 'PartTime', 'ContractTemp', 'Casual'];

/** The stages of a hiring process that a hirer can move an application to, in their usual order. */
export const STAGES = [
  'HirerShortlist',
  'Interview',
  'TestingOrQualificationsCheck',
  'ReferenceCheck',
  'Offer',
  'Successful',
  'Unsuccessful',
];

/** One of the upstream's codes in words; a code that is new to this page stands for itself. */
export const wordsOf = (code: string): string => NAMES[code] ?? code;
