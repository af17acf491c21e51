/**
 * How a page does what the cards show, with the browser package. `bff` is the page's `new Bff(…)`, `show` whatever
 * puts a result on the screen. Each runs as it stands.
 */
export const SNIPPETS = {
  registered: `import { request } from 'partner-bff-client';

const { positionOpenings } = await request(bff, {
  documentId: 'PositionOpenings',
  variables: { first: 3 },
});
show(positionOpenings);`,

  languages: `import { request } from 'partner-bff-client';

bff.language = 'id-ID';
const { location } = await request(bff, {
  query: 'query ($id: String!) { location(id: $id) { contextualName } }',
  variables: { id: 'seekAnzPublicTest:location:seek:6CpLz7VsM' },
});
show(location.contextualName);`,

  batch: `import { batch } from 'partner-bff-client';

const results = await batch(bff, [
  { query: 'query { self { hirer { name } } }' },
  {
    query: 'query ($id: String!) { candidateProfile(id: $id) { createDateTime } }',
    variables: { id: 'seekAnzPublicTest:candidateProfile:apply:4QM5fWQbdekL9gPtPZrzex' },
  },
]);
for (const { data, error } of results) show(error ? error.code : data);`,

  attachment: `import { request } from 'partner-bff-client';
import { createAttachmentLink, downloadAttachment } from 'partner-bff-client/attachments';

const { candidateProfile } = await request(bff, {
  documentId: 'Application',
  variables: { id: 'seekAnzPublicTest:candidateProfile:apply:4QM5fWQbdekL9gPtPZrzex' },
});
const [{ url: sealed }] = candidateProfile.attachments;
const { blob, fileName } = await downloadAttachment(bff, sealed);
show(fileName, blob.size);

// For <a href> and viewers, which cannot send a token: works once, within a minute.
const { url } = await createAttachmentLink(bff, sealed);
show(url);`,

  events: `import { streamEvents } from 'partner-bff-client/events';

// Opened again after a break, and continued after the last event.
for await (const event of streamEvents(bff)) {
  show(event.type, event.data);
}`,

  failures: `import { BffError, request } from 'partner-bff-client';

try {
  show(await request(bff, { documentId: 'PositionOpenings', variables: { first: 3 } }));
} catch (error) {
  if (!(error instanceof BffError)) throw error;
  // Such as UNAVAILABLE: say so, offer to try again in retryAfter seconds, and quote requestId to support.
  show(error.code, error.retryAfter, error.requestId);
}`,
};
