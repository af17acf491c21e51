/** Every scope a browser token of this playground can have (interface 11; 2.1 names the first three). */
export const SCOPES = [
  'query:ontologies',
  'query:ad-products',
  'query:organizations',
  'query:advertisement-brandings',
  'query:application-library-question-suggestions',
  'query:application-questionnaires',
  'mutate:application-questionnaires',
  'query:position-profiles',
  'query:posted-position-profile-previews',
  'download:candidate-profile-attachments',
  'query:seek-candidate-profiles',
] as const;
