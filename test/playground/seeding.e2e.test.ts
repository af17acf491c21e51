import { openPlayground } from '../support/start-stack.js';
import type { Playground } from '../../playground/src/playground.js';
import { ask, BANKSIA } from './client.js';

const PROFILE = `query ($id: String!) { positionProfile(id: $id) { positionTitle } }`;
const APPLICATION = `query ($id: String!) {
  candidateProfile(id: $id) { candidate { person { name { formattedName } } } attachments { descriptions } }
}`;

describe('seeding', () => {
  let playground: Playground;
  const start = async (options = {}) => (playground = await openPlayground({ size: 1, ...options }));
  beforeEach(async () => void (await start()));

  test('makes a hirer that a partner sees, an ad and an application, by the ids that it returns', async () => {
    const { seed } = playground;
    const hirer = seed.hirer({ name: 'Wattle Cafés' });
    expect(hirer.brandingIds).toHaveLength(4);
    expect(hirer.questionnaireIds).toHaveLength(2);
    const ad = seed.ad({ hirerId: hirer.hirerId, title: 'Barista' });
    expect(hirer.questionnaireIds).toContain(ad.questionnaireId);
    const application = seed.application({
      positionProfileId: ad.positionProfileId,
      name: 'Ana Silva',
      email: 'ana@candidate.example',
      answers: { reason: 'I love coffee.' },
      attachments: ['Resume.pdf'],
    });
    expect(application.attachmentIds).toHaveLength(1);

    const name = await ask(playground, 'query ($id: String!) { hiringOrganization(id: $id) { name } }', {
      id: hirer.hirerId,
    });
    expect(name.data).toEqual({ hiringOrganization: { name: 'Wattle Cafés' } });
    expect((await ask(playground, PROFILE, { id: ad.positionProfileId })).data).toEqual({
      positionProfile: { positionTitle: 'Barista' },
    });
    const found = await ask(playground, APPLICATION, { id: application.candidateApplicationProfileId });
    expect(JSON.stringify(found.data)).toContain('Ana Silva');
    expect(
      JSON.stringify(playground.world.candidateProfiles.get(application.candidateApplicationProfileId)),
    ).toContain('I love coffee.');
  });

  test('the same calls in the same order give the same ids in every playground, whatever happened in between', async () => {
    const seeded = ({ seed, events }: Playground, isBusy: boolean) => {
      const hirer = seed.hirer({ name: 'Wattle Cafés' });
      if (isBusy) events.emit('CandidateApplicationCreated');
      const ad = seed.ad({ hirerId: hirer.hirerId });
      return [hirer, ad, seed.application({ positionProfileId: ad.positionProfileId })];
    };
    const first = seeded(playground, true);
    await playground.reset();
    expect(seeded(playground, false)).toEqual(first);
    expect(seeded(await start(), false)).toEqual(first);
  });

  test('tells nobody: no event, no webhook', async () => {
    playground.subscribe({ url: 'https://receiver.example/', eventTypeCodes: ['PositionProfilePosted'] });
    const events = playground.world.events.since(-Infinity);
    const { hirerId } = playground.seed.hirer({ name: 'Quiet' });
    const { positionProfileId } = playground.seed.ad({ hirerId });
    playground.seed.application({ positionProfileId });
    await playground.webhooks.settled();
    expect(playground.world.events.since(-Infinity)).toEqual(events);
    expect(playground.webhooks.requests).toEqual([]);
  });

  test.each([
    ['a hirer without a name', 'hirer', {}, 'name is required.'],
    [
      'a misspelt member',
      'ad',
      { hirerId: BANKSIA, titel: 'x' },
      'titel is not known; the properties are hirerId, title.',
    ],
    [
      'an unknown relationship',
      'hirer',
      { name: 'A', relationships: ['All'] },
      'relationships.0 is one of ApplicationExport',
    ],
    ['an unknown market', 'hirer', { name: 'A', market: 'NZ' }, 'market is one of AU, ID, TH.'],
    [
      'a user of an unknown hirer',
      'user',
      { subject: 'jo', hirers: ['nobody'] },
      'there is no hirer nobody; seed one with seed.hirer(), or take one of seekAnzPublicTest',
    ],
    ['a user without hirers', 'user', { subject: 'jo' }, 'hirers is required.'],
    [
      'a subject that is taken',
      'user',
      { subject: 'amelia', hirers: [] },
      'the subject amelia is taken; choose another.',
    ],
    [
      'an application for no ad',
      'application',
      { positionProfileId: 'x' },
      'positionProfileId names no ad; seed one with seed.ad().',
    ],
    ['nothing', 'ad', undefined, 'It must be object.'],
  ] as const)('refuses %s with what to do, and adds nothing', (_name, what, wish, message) => {
    const size = () =>
      JSON.stringify([playground.demo, playground.world.hirers.size, playground.world.openings.size]);
    const before = size();
    expect(() => playground.seed[what](wish as never)).toThrow(`seed.${what}: ${message}`);
    expect(size()).toBe(before);
  });
});
