import { readFileSync, readdirSync } from 'node:fs';

const SOURCES = 'examples/frontend/src';
const APPLICATIONS_PER_HIRER = 60;

/** The TypeScript types of the registered operations that the example names, by the modules of the service. */
export async function exampleTypes({ loadOperations, operationTypes, readSchema }) {
  const texts = readdirSync(SOURCES).map((name) => readFileSync(`${SOURCES}/${name}`, 'utf8'));
  const names = new Set(
    texts.flatMap((text) => [...text.matchAll(/query: (\w+)Document\b/g)].map(([, name]) => name)),
  );
  const all = [...loadOperations(['shipped']).all()].map(({ compiled }) => compiled);
  const schema = readSchema(readFileSync('playground/schema.graphql', 'utf8'));
  return operationTypes(
    schema,
    all.filter(({ name }) => names.has(name)),
  );
}

/** Applications to the demo's hirers: what a partner's back end would know from events. */
export function exampleApplications({ demo, world }) {
  const applied = [...world.candidateProfiles.values()].filter(({ kind }) => kind === 'application');
  const lists = demo.hirers.map(({ hirerId }) => {
    const own = applied.filter((profile) => profile.hirerId === hirerId).map(({ id }) => id);
    return [hirerId, own.slice(0, APPLICATIONS_PER_HIRER)];
  });
  return `${JSON.stringify(Object.fromEntries(lists), null, 2)}\n`;
}
