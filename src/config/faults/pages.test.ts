import { pagesOf } from './pages.js';

test.each([
  ['PORT must be a whole number', []],
  ['OPERATION_RULES must be warn or enforce', ['docs/proxy.md']],
  ['/etc/operations/ads.graphql:2: the operation has no name', ['docs/proxy.md']],
  ['WEBHOOK_SECRETS holds a short secret', ['docs/webhooks.md']],
])('%s', (fault, pages) => {
  expect(pagesOf([fault])).toEqual(['docs/configuration.md', ...pages]);
});
