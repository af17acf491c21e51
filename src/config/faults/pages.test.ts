import { pagesOf } from './pages.js';

test.each([
  ['PORT must be a whole number', []],
  ['OPERATION_RULES must be warn or enforce', ['docs/graphql.md']],
  ['/etc/operations/ads.graphql:2: the operation has no name', ['docs/registered-operations.md']],
  ['WEBHOOK_SECRETS holds a short secret', ['docs/events.md']],
])('%s', (fault, pages) => {
  expect(pagesOf([fault])).toEqual(['docs/configuration.md', ...pages]);
});
