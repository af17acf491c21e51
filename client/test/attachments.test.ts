import { createAttachmentLink, downloadAttachment, type Progress } from '../src/attachments.js';
import { NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import { openPage, sealedLink, type TestPage } from './page.js';

let stack: Stack;
let page: TestPage;
let link: string;
beforeAll(async () => {
  stack = await startStack();
  page = openPage(stack);
  link = await sealedLink(stack, page.bff);
});
afterAll(() => stack.close());
afterEach(() => stack.playground.faults.clear());

test('a file comes into memory with its name, type and progress', async () => {
  const seen: Progress[] = [];
  const file = await downloadAttachment(page.bff, link, { onProgress: (progress) => seen.push(progress) });
  expect(file.fileName).toMatch(/^.+\.\w+$/);
  expect(file.blob.type).toBe(file.contentType);
  expect(file.blob.size).toBeGreaterThan(0);
  expect(seen.at(-1)).toEqual({ loadedBytes: file.blob.size, totalBytes: file.blob.size });
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
  const { bff } = openPage(stack);
  const ended = downloadAttachment(bff, link, { onProgress: () => bff.switchHirer(NUSANTARA) });
  await expect(ended).rejects.toMatchObject({ code: 'SESSION_ENDED' });
});
