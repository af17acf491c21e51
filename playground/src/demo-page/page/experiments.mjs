/** What the proxy tab tries. Each request goes to `POST /graphql` of the BFF; `draw` names how the answers are shown. */
export const EXPERIMENTS = [
  {
    id: 'registered',
    title: 'A registered operation',
    about:
      'Positions need the partner token, which opens every hirer. So the page sends a name and no query: the text lies with the BFF, which sets the hirer itself.',
    requests: [{ body: { documentId: 'PositionOpenings', variables: { first: 3 } } }],
    draw: 'positions',
  },
  {
    id: 'languages',
    title: 'Three languages',
    about:
      'The BFF passes the user’s Accept-Language on. A query of the page’s own goes with a browser token.',
    requests: ['en-AU', 'id-ID', 'th-TH'].map((language) => ({
      headers: { 'Accept-Language': language },
      body: {
        query:
          'query ($place: String!, $field: String!) { location(id: $place) { contextualName } jobCategory(id: $field) { name } }',
        variables: {
          place: 'seekAnzPublicTest:location:seek:6CpLz7VsM',
          field: 'seekAnzPublicTest:jobCategory:seek:3JsXt8PdY',
        },
      },
    })),
    draw: 'languages',
  },
  {
    id: 'batch',
    title: 'A batch in which one fails',
    about:
      'Three operations in one request. The second reads an application, which is not open to a browser token. The other two are unharmed.',
    requests: [
      {
        body: [
          { query: 'query { self { hirer { name } } }' },
          {
            query: 'query ($id: String!) { candidateProfile(id: $id) { createDateTime } }',
            variables: { id: 'seekAnzPublicTest:candidateProfile:apply:4QM5fWQbdekL9gPtPZrzex' },
          },
          {
            query: 'query ($id: String!) { location(id: $id) { contextualName } }',
            variables: { id: 'seekAnzPublicTest:location:seek:6CpLz7VsM' },
          },
        ],
      },
    ],
    draw: 'batch',
  },
  {
    id: 'attachment',
    title: 'An attachment',
    about:
      'Files lie at the upstream. The page gets sealed addresses instead: each works for this user, through the BFF, for a quarter of an hour. This application is Banksia’s; ask for another hirer and nothing comes through.',
    requests: [
      {
        body: {
          documentId: 'Application',
          variables: { id: 'seekAnzPublicTest:candidateProfile:apply:4QM5fWQbdekL9gPtPZrzex' },
        },
      },
    ],
    draw: 'attachments',
  },
];
