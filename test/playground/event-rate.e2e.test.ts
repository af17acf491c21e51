import { usedHeapBytes } from '../support/machine.js';
import { EVENT_TYPES } from '../../playground/src/data/records.js';
import { HIRER_PAIRS } from '../webhooks/send-webhook.js';
import { post, usePlayground } from './client.js';

const DAY_MS = 86_400_000;
const HEAP_BYTES_MAX = 32 * 1_048_576;

describe('many events', () => {
  let failures: string[];
  // Time passes only where a test moves it.
  const startMs = Date.now();
  const playground = usePlayground({ clock: () => startMs, onFailure: (what) => failures.push(what) });
  beforeEach(async () => {
    failures = [];
    await playground.reset();
  });

  test('happen thousands of times, 300 days passing on the way: nothing fails, and memory stays flat', async () => {
    const emitAll = (): void => {
      for (let n = 0; n < 1_800; n++) playground.events.emit(EVENT_TYPES[n % EVENT_TYPES.length]!);
    };
    emitAll();
    playground.clock.advance(300 * DAY_MS);
    const heapBytes = usedHeapBytes();
    emitAll();
    expect(failures).toEqual([]);
    expect(usedHeapBytes() - heapBytes).toBeLessThan(HEAP_BYTES_MAX);
    await playground.webhooks.settled();
  });

  test.each(HIRER_PAIRS)(
    'a candidate applies to an ad of the job board, never to one with a form of the hirer’s own: %s before %s',
    (...hirers) => {
      for (const hirerId of hirers) {
        for (const { ad } of [...playground.world.positionProfiles.values()].filter(
          (one) => one.hirerId === hirerId,
        )) {
          if (ad !== null && ad.startMs % 2 === 0) ad.applicationUri = 'https://hirer.example/careers/apply';
        }
        for (let round = 0; round < 200; round++) {
          const { members } = playground.events.emit('CandidateApplicationCreated', { hirerId });
          const profile = playground.world.candidateProfiles.get(members['candidateApplicationProfileId']!);
          const ad = playground.world.positionProfiles.get(profile!.positionProfileId!);
          expect(ad).toMatchObject({ hirerId, ad: { applicationUri: null } });
        }
      }
    },
  );

  test('a candidate applies where every ad has a form of the hirer’s own, or none is live', () => {
    for (const { ad } of playground.world.positionProfiles.values()) {
      if (ad !== null) ad.applicationUri = 'https://hirer.example/careers/apply';
    }
    for (let round = 0; round < 50; round++) playground.events.emit('CandidateApplicationCreated');
    playground.clock.advance(300 * DAY_MS);
    for (let round = 0; round < 50; round++) playground.events.emit('CandidateApplicationCreated');
    expect(failures).toEqual([]);
  });
});

/** Values that a control must take or refuse, and survive. */
const VALUES = [
  ...[0, -1, 0.5, 3, 1e9, 1e300, true, [], ['a', '']],
  ...[
    '',
    ' ',
    'a\r\nb',
    'é',
    '\u0000',
    'http://127.0.0.1:1/',
    'https://[::',
    'Resume.pdf',
    '9'.repeat(9_999),
  ],
  ...[{}, { a: 1 }, { createDateTime: null, positionProfileId: {} }, { 'Query.self': { bucketSize: 1e300 } }],
];
/** The members of each control, and what else makes a request acceptable. */
const CONTROLS: Readonly<Record<string, readonly [members: string, needed?: object]>> = {
  applications: ['positionProfileId candidateId name answers attachments'],
  clock: ['skewMs advanceMs advanceDays now'],
  events: ['type count hirerId lateMs relationships members', { type: 'CandidateApplicationCreated' }],
  faults: ['delayMs status times headers', { route: 'control' }],
  postings: ['reason count'],
  switches: ['postingDelayMs partnerTokenSeconds'],
  'webhooks/subscriptions': [
    'url secret hirerId maxEventsPerAttempt',
    { url: 'http://127.0.0.1:1/', secret: 'secret' },
  ],
  'webhooks/mischief': ['duplicateNext paused'],
  'webhooks/replay': ['subscriptionId eventIds'],
};

/** Each member alone with each value. */
function requestsOf(control: string): object[] {
  const [members, needed] = CONTROLS[control]!;
  return members.split(' ').flatMap((name) => VALUES.map((value) => ({ ...needed, [name]: value })));
}

describe('a playground that is controlled', () => {
  const failures: string[] = [];
  const playground = usePlayground({
    webhook: { url: 'http://127.0.0.1:1/' },
    onFailure: (what) => failures.push(what),
  });

  test.each(Object.keys(CONTROLS))('goes on whatever %s is sent, and answers 200 or 400', async (control) => {
    const send = (name: string, body: object) => post(`${playground.upstreamUrl}/playground/${name}`, body);
    for (const body of requestsOf(control)) {
      const { status } = await send(control, body);
      expect([body, [200, 400].includes(status)]).toEqual([body, true]);
    }
    const answer = await send('events', { type: 'CandidateApplicationCreated', count: 20 });
    expect([answer.status, failures]).toEqual([200, []]);
  });
});
