/**
 * Operations that the page sends to the upstream with its browser token, each with the scope it needs.
 * @type {{name: string, title: string, scope: string, query: string, variables?: object}[]}
 */
export const OPERATIONS = [
  {
    name: 'self',
    title: 'Which hirer is this token for?',
    scope: 'query:organizations',
    query: 'query {\n  self {\n    hirer { id { value } name }\n  }\n}',
  },
  {
    name: 'location',
    title: 'What is this place called?',
    scope: 'query:ontologies',
    query:
      'query ($id: String!) {\n  location(id: $id) {\n    contextualName\n    currencies { code }\n  }\n}',
    variables: { id: 'seekAnzPublicTest:location:seek:2FqwWaaMV' },
  },
  {
    name: 'positionProfile',
    title: 'What does this job ad say?',
    scope: 'query:position-profiles',
    query: 'query ($id: String!) {\n  positionProfile(id: $id) {\n    positionTitle\n  }\n}',
    variables: { id: 'seekAnzPublicTest:positionProfile:jobAd:2782PZfXV' },
  },
];
