/**
 * Requests to `POST /graphql` of the BFF; `draw` names how their answers are shown.
 * @typedef {object} Experiment
 * @property {string} id
 * @property {string} title
 * @property {string} about
 * @property {{headers?: Record<string, string>, body: unknown}[]} requests
 * @property {'positions' | 'languages' | 'batch' | 'attachments'} draw
 */

/**
 * The experiments that the proxy tab offers.
 * @type {Experiment[]}
 */
export const EXPERIMENTS = [
  {
    id: 'registered',
    title: 'A registered operation',
    about:
      'Positions need the partner token, which gives access to every hirer. So the page sends a name instead of a query: the BFF holds the text and sets the hirer itself.',
    requests: [{ body: { documentId: 'PositionOpenings', variables: { first: 3 } } }],
    draw: 'positions',
  },
  {
    id: 'languages',
    title: 'Three languages',
    about:
      'The BFF passes the user’s Accept-Language on. A query that the page writes itself is sent with a browser token.',
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
      'Three operations in one request. The second reads an application, which a browser token cannot access. The other two are unaffected.',
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
      'Files are stored at the upstream. The page gets sealed addresses instead: each works for this user, through the BFF, for 15 minutes. A one-use link is for <a href> and viewers, which cannot send a token. This application belongs to Banksia; with another hirer nothing is returned.',
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
