import { createAttachmentLink, downloadAttachment } from '../src/attachments.js';
import { NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { useStack } from '../../test/support/start-stack.js';
import { openPage, sealedLink, type TestPage } from './page.js';

const stack = useStack();
let page: TestPage;
let link: string;
beforeAll(async () => {
  page = openPage(stack);
  link = await sealedLink(stack, page.bff);
});
afterEach(() => stack.playground.faults.clear());

test('a file comes into memory with its name and type', async () => {
  const file = await downloadAttachment(page.bff, link);
  expect(file.fileName).toMatch(/^.+\.\w+$/);
  expect(file.blob.type).toBe(file.contentType);
  expect(file.blob.size).toBeGreaterThan(0);
});

test('a one-use link gives the same file to someone without credentials, once', async () => {
  const { url, expiresIn } = await createAttachmentLink(page.bff, link);
  expect([expiresIn, url.startsWith(stack.url)]).toEqual([60, true]);
  const { blob } = await downloadAttachment(page.bff, link);
  expect(await (await fetch(url)).text()).toBe(await blob.text());
  expect((await fetch(url)).status).toBe(404);
});

test.each([
  'https://evil.example/attachments/x',
  '//evil.example/attachments/x',
  '/graphql',
  '/attachments/../auth/token',
])('%s gets no token of the user', async (address) => {
  const before = page.sent('/attachments/x');
  await expect(downloadAttachment(page.bff, address)).rejects.toBeInstanceOf(TypeError);
  expect(page.sent('/attachments/x')).toBe(before);
});

test('an unknown link and a broken file are errors with a code', async () => {
  await expect(downloadAttachment(page.bff, '/attachments/x')).rejects.toMatchObject({
    code: 'NOT_FOUND',
    reason: 'not_found',
  });
  stack.playground.faults.add({ route: 'attachments', truncate: true });
  await expect(downloadAttachment(page.bff, link)).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
});

test('a download ends when another hirer is chosen', async () => {
  const { bff } = openPage(stack, {
    fetch: async (url, init) => {
      const response = await fetch(url, init); // the head has arrived, the bytes have not
      setImmediate(() => bff.switchHirer(NUSANTARA));
      return response;
    },
  });
  stack.playground.faults.add({ route: 'attachments', dripMs: 20 });
  const ended = downloadAttachment(bff, link);
  await expect(ended).rejects.toMatchObject({ code: 'SESSION_ENDED' });
});

test.each([
  [`attachment; filename*=UTF-8''..%2F..%2Fr%C3%A9sum%C3%A9.pdf`, 'résumé.pdf'],
  [`attachment; filename*=UTF-8''100%.pdf`, '100%.pdf'],
  [`attachment; filename*=UTF-8''%FF.pdf; filename="a.pdf"`, '%FF.pdf'],
  [`attachment; filename=".."`, 'attachment'],
  [`attachment; filename="..\\..\\a.pdf"`, 'a.pdf'],
  [`attachment; filename*=UTF-8''a%00b%0A.pdf`, 'ab.pdf'],
  [`attachment; filename*=UTF-8''%2e`, 'attachment'],
  [`attachment; filename*=UTF-8''a%0A..%2F..%2Fetc%2Fpasswd`, 'passwd'],
  ['attachment', 'attachment'],
])('the file of %s is named %s', async (disposition, fileName) => {
  const answer = new Response('bytes', { headers: { 'content-disposition': disposition } });
  const { bff } = openPage(stack, { fetch: async () => answer });
  expect((await downloadAttachment(bff, '/attachments/x')).fileName).toBe(fileName);
});
