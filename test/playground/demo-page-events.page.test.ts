import type { Page } from 'playwright-core';
import type { Playground } from '../../playground/src/playground.js';
import { openDemoPage, type DemoPage } from '../support/browser.js';

jest.setTimeout(30_000); // a browser on a busy machine

describe('the events tab of the demo page', () => {
  let demo: DemoPage;
  let playground: Playground;
  let page: Page;
  beforeAll(async () => {
    demo = await openDemoPage();
    ({ playground } = demo);
  });
  beforeEach(async () => {
    page = await demo.browser.newPage({ reducedMotion: 'reduce' });
    await page.goto(`${demo.service.publicUrl}/#events`);
  });
  afterEach(() => page.close());

  const steps = () => page.getByRole('list', { name: 'Steps of the exchange' });
  const happen = () => page.getByRole('button', { name: 'Make it happen' }).click();
  const titles = () => steps().locator('> li .title').allInnerTexts();
  const received = () => page.getByRole('list', { name: 'Events in this browser' }).locator('> li');
  const lastEventId = () => playground.webhooks.requests.at(-1)!.attempts[0]!.eventId;

  test('follows an event from the upstream to back end and browser', async () => {
    await page.getByRole('combobox', { name: 'Event' }).selectOption('A profile is purchased');
    await happen();
    await page.getByRole('button', { name: 'Send it again' }).waitFor();
    expect(await titles()).toEqual([
      'CandidateProfilePurchased',
      'POST /webhooks',
      'Stored, then acknowledged',
      'POST to the sink',
      'GET /events/stream',
    ]);
    expect(await received().allInnerTexts()).toEqual([
      expect.stringMatching(/^CandidateProfilePurchased Banksia Health Group/),
    ]);
    expect(playground.eventSink.list(lastEventId())).toEqual([
      expect.objectContaining({ type: 'CandidateProfilePurchased', verified: true, isRepeat: false }),
    ]);
  });

  test('has a stream again after the service refused or ended one', async () => {
    const answers = [{ status: 503 }, { contentType: 'text/event-stream', body: '' }];
    await page.route('**/events/stream', (route) => {
      const answer = answers.shift();
      return answer === undefined ? route.continue() : route.fulfill(answer);
    });
    const opened = page.waitForResponse(
      (answer) => answer.url().endsWith('/events/stream') && 'x-request-id' in answer.headers(), // the service's own
    );
    await happen();
    await page.getByRole('button', { name: 'Send it again' }).waitFor();
    await opened;
    await happen();
    await received().first().waitFor({ timeout: 5_000 });
  });

  test('shows that an event sent again is delivered and streamed once', async () => {
    await happen();
    await page.getByRole('button', { name: 'Send it again' }).click();
    await steps().getByText('Known by its id').waitFor();
    expect(await steps().innerText()).toContain('Deliveries so far: 1.');
    expect(playground.webhooks.requests.slice(-2).map(({ statusCode }) => statusCode)).toEqual([204, 204]);
    expect(playground.eventSink.list(lastEventId())).toHaveLength(1);
    expect(await received().count()).toBe(1);
  });

  test('shows nothing of one user to the next', async () => {
    await happen();
    await page.getByRole('button', { name: 'Send it again' }).waitFor();
    expect(await received().count()).toBe(1);
    await page.getByRole('combobox', { name: 'User' }).selectOption('Chanida Wongsa');
    expect([await received().count(), await steps().count()]).toEqual([0, 0]);
    playground.events.emit('PositionProfilePosted', { hirerId: playground.demo.hirers[0]!.hirerId });
    await happen();
    await page.getByText('Chanida Wongsa does not belong to Banksia Health Group').waitFor();
    expect(await received().count()).toBe(0);
  });

  test('shows that a forged event is refused', async () => {
    await happen();
    await page.getByRole('button', { name: 'Forge one' }).click();
    await steps().getByText('401 invalid_signature').waitFor();
    expect(playground.eventSink.list('forged')).toEqual([]);
  });

  test('shows that a browser receives nothing of a hirer that is not the user’s', async () => {
    await page.getByRole('combobox', { name: 'Hirer' }).selectOption('Chao Phraya Hotels');
    await happen();
    await page.getByText('Amelia Hughes does not belong to Chao Phraya Hotels').waitFor();
    expect(await received().count()).toBe(0);
    expect(playground.eventSink.list(lastEventId())).toHaveLength(1);
  });
});
