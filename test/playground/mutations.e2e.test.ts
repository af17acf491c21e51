import type { Json } from '../support/start-stack.js';
import { theSchema } from '../../playground/src/graphql/schema/schema.js';
import type { Playground } from '../../playground/src/playground.js';
import { CANDIDATE_MUTATIONS, RECEIVER, POSITION_MUTATIONS, WEBHOOK_MUTATIONS } from './mutation-row.js';
import { ask, exampleOf, usePlayground, withMember } from './client.js';

const ROWS = { ...POSITION_MUTATIONS, ...CANDIDATE_MUTATIONS, ...WEBHOOK_MUTATIONS };

const playground = usePlayground({
  clock: () => Date.UTC(2030, 0, 1),
  switches: { mutations: 'stateful', operationRules: 'refuse' },
});

async function begin(): Promise<void> {
  await playground.reset();
  playground.subscribe({ url: `${RECEIVER}/1`, eventTypeCodes: ['PositionProfilePosted'] });
  playground.webhooks.setMischief({ paused: true });
}

test('every mutation has a row', () => {
  const mutations = Object.values(theSchema().getMutationType()!.getFields());
  const names = mutations
    .filter(({ deprecationReason }) => deprecationReason == null)
    .map(({ name }) => name);
  expect(Object.keys(ROWS).sort()).toEqual(names.sort());
});

test.each(Object.entries(ROWS))(
  '%s changes what is read afterwards',
  async (name, { query: reading, id: place, now }) => {
    await begin();
    const { query, variables } = exampleOf(playground, name);
    const answer = await ask(playground, query, variables);
    expect(answer.errors).toBeUndefined();
    const known: Json = { payload: (answer.data as Json)[name], input: (variables as Json).input };
    const id = place.split('.').reduce((value, member) => value[member], known);
    playground.clock.advance(5_000); // ads are posted, and changed subscriptions act, after a delay
    const after = await ask(playground, reading, { id });
    expect(after.errors).toBeUndefined();
    for (const [path, value] of Object.entries(now)) expect(after.data).toHaveProperty(path, value);
  },
);

describe('an input that is not valid', () => {
  beforeAll(begin);

  /** Everything that a mutation can change, as text. */
  function stateOf({ world, webhooks }: Playground): string {
    const { openings, positionProfiles, candidates, candidateProfiles, steps, questionnaires, events } =
      world;
    const { subscriptions, replays } = webhooks;
    const maps = [openings, positionProfiles, candidates, candidateProfiles, steps, questionnaires];
    const values = [...maps, subscriptions, replays].map((map) => [...map.values()]);
    return JSON.stringify([...values, events.since(0).length]);
  }

  test.each(Object.entries(ROWS))(
    'is refused by %s, which names the field and changes nothing',
    async (name, row) => {
      const [path, value, code] = row.refused;
      const field = `input.${path.replace(/\.(\d+)/g, '[$1]')}`;
      const { query, variables } = exampleOf(playground, name);
      const before = stateOf(playground);
      const input = withMember((variables as Json).input, path, value);
      const { errors } = await ask(playground, query, { input });
      const extensions = { code, field };
      expect(errors).toMatchObject([{ path: [name], extensions, message: expect.stringContaining(field) }]);
      expect(stateOf(playground)).toBe(before);
    },
  );
});
