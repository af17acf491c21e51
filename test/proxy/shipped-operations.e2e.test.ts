import { Kind, type FieldNode } from 'graphql';
import { examplesOf } from '../playground/client.js';
import { exampleObjects } from '../../playground/src/pages/examples.js';
import { EVENT_TYPES, type EventType } from '../../playground/src/data/records.js';
import { loadOperations } from '../../src/operations/registered-operations.js';
import type { CompiledOperation } from '../../src/operations/compile/compile-operation.js';
import type { Json } from '../support/start-stack.js';
import { BANKSIA, CHAO_PHRAYA, NUSANTARA, useProxyStack, codeOf } from './proxy-stack.js';

/** Operations that end the life of an object come last, because others need it. */
const isLast = ({ name }: CompiledOperation): boolean => /^(Close|Delete)/.test(name);
const OPERATIONS = [...loadOperations(['shipped']).all()]
  .map(({ compiled }) => compiled)
  .sort((a, b) => Number(isLast(a)) - Number(isLast(b)));
/** The types of events that the public schema lacks, so that nothing in an answer says whose they are. */
const NEWER_TYPES = ['PositionProfileUpdated', 'PositionNotPosted'];
const namesOf = (operations: readonly CompiledOperation[]) => operations.map(({ name }) => name);

const stack = useProxyStack(undefined, { size: 100, switches: { mutations: 'stateful' } });
/** The event of a profile that Banksia has bought. */
let purchase: string;
beforeAll(() => {
  const { world, webhooks } = stack.playground;
  const step = world.steps.get(exampleObjects(world, webhooks).step)!;
  Object.assign(step, { positionProfileId: liveAd(BANKSIA) }); // what makes the uploaded candidate the hirer's
  const bought = [...world.candidateProfiles.values()].find(({ kind }) => kind === 'purchase')!;
  const members = { candidateProfileId: bought.id };
  purchase = stack.playground.events.emit('CandidateProfilePurchased', { hirerId: BANKSIA, members }).id;
});

const liveAd = (hirer: string): string =>
  [...stack.playground.world.positionProfiles.values()].find(
    ({ hirerId, ad }) => hirerId === hirer && ad !== null,
  )!.id;

const emit = (type: EventType) => stack.playground.events.emit(type, { hirerId: BANKSIA });

/** Variables of the playground's own example for the operation, whose objects are all Banksia's. */
function exampleFor(name: string): Record<string, unknown> {
  const { document, variables } = OPERATIONS.find((operation) => operation.name === name)!;
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)!;
  const root = (operation.selectionSet.selections[0] as FieldNode).name.value;
  const example = examplesOf(stack.playground).find((one) => one.name === root);
  const known: Record<string, unknown> = { hirerId: BANKSIA, ...example?.variables };
  if (name === 'PurchasedProfile' || name === 'Event') known['id'] = purchase;
  return Object.fromEntries(Object.entries(known).filter(([variable]) => variables.has(variable)));
}

const ask = async (documentId: string, variables: unknown, hirer: string = BANKSIA): Promise<Json> =>
  (await stack.ask({ documentId, variables }, { 'x-hirer-id': hirer })).body;
const mutationsRun = (): number =>
  stack.playground.calls
    .list({ route: 'graphql' })
    .flatMap((call) => call.fields ?? [])
    .filter((field) => field.startsWith('Mutation.')).length;

/** Operations whose example names an object of a hirer, or the hirer. */
const CONFINED = OPERATIONS.filter(({ bindings }) => bindings.length > 0).filter(
  ({ name }) => !['InferLocation', 'JobCategorySuggestions'].includes(name),
);

describe('a member of another hirer', () => {
  test.each(namesOf(CONFINED))('gets nothing from %s, and changes nothing', async (name) => {
    const before = mutationsRun();
    const body = await ask(name, exampleFor(name), NUSANTARA);
    expect([codeOf({ body }), Object.values(body.data ?? {}).filter((root) => root !== null)]).toEqual([
      'FORBIDDEN',
      [],
    ]);
    expect(mutationsRun()).toBe(before);
  });

  test('cannot put a branding or a questionnaire of another hirer on an ad of its own', async () => {
    const ad = JSON.parse(JSON.stringify(exampleFor('PostPosition')).replaceAll(BANKSIA, NUSANTARA));
    const { seekApplicationQuestionnaireId, ...withBranding } = ad.input.positionProfile;
    const withQuestionnaire = {
      ...withBranding,
      seekApplicationQuestionnaireId,
      postingInstructions: withBranding.postingInstructions.map((one: Json) => ({
        ...one,
        brandingId: undefined,
      })),
    };
    const before = mutationsRun();
    for (const positionProfile of [withBranding, withQuestionnaire]) {
      const body = await ask('PostPosition', { input: { ...ad.input, positionProfile } }, NUSANTARA);
      expect(codeOf({ body })).toBe('FORBIDDEN');
    }
    expect(mutationsRun()).toBe(before);
  });

  test('cannot name a position of another hirer in a step of its own candidate', async () => {
    const { input } = exampleFor('RecordApplicationStep') as Json;
    const positionProfile = { profileId: liveAd(CHAO_PHRAYA) };
    const item = { ...input.candidateProcessHistoryItem, positionProfile, seekSource: { name: 'x' } };
    const body = await ask('RecordApplicationStep', {
      input: { ...input, candidateProcessHistoryItem: item },
    });
    expect(codeOf({ body })).toBe('FORBIDDEN');
  });

  test('cannot read a candidate whose process history names two hirers', async () => {
    const { world, webhooks } = stack.playground;
    const { step, uploadedProfile: id } = exampleObjects(world, webhooks);
    const foreign = {
      ...world.steps.get(step)!,
      id: `${step}-foreign`,
      positionProfileId: liveAd(NUSANTARA),
    };
    world.steps.set(foreign.id, foreign);
    for (const hirer of [BANKSIA, NUSANTARA]) {
      expect(codeOf({ body: await ask('CandidateProfile', { id }, hirer) })).toBe('FORBIDDEN');
    }
    world.steps.delete(foreign.id);
    expect((await ask('CandidateProfile', { id })).data.candidateProfile.profileId.value).toBe(id);
  });
});

describe('events', () => {
  test.each(EVENT_TYPES)(
    '%s is shown to its hirer, unless the schema does not say whose it is',
    async (type) => {
      const { id } = emit(type);
      const shown = async (hirer: string): Promise<unknown> => {
        const body = await ask('Event', { id }, hirer);
        return codeOf({ body }) ?? body.data.event.typeCode;
      };
      const own = NEWER_TYPES.includes(type) ? 'FORBIDDEN' : type;
      expect([await shown(BANKSIA), await shown(NUSANTARA)]).toEqual([own, 'FORBIDDEN']);
    },
  );
});

describe('a member of the hirer', () => {
  // those for machines alone are asked in machines.e2e.test.ts, and run in event-objects.e2e.test.ts
  const open = OPERATIONS.filter(({ roles }) => roles === undefined);
  test.each(namesOf(open))('gets an answer from %s', async (name) => {
    const body = await ask(name, exampleFor(name));
    expect(body.errors).toBeUndefined();
    expect(Object.values(body.data as object)).not.toContain(null);
  });
});
