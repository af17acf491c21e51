import { readFileSync, readdirSync } from 'node:fs';

const SOURCES = 'examples/frontend/src';
const ADS_PER_HIRER = 10;
const APPLICATIONS_PER_AD = 6;

/** The TypeScript types of the registered operations that the example names, by the modules of the service. */
export async function exampleTypes({ loadOperations, operationTypes, readSchema }) {
  const files = readdirSync(SOURCES, { recursive: true }).filter((name) => /\.tsx?$/.test(name));
  const texts = files.map((name) => readFileSync(`${SOURCES}/${name}`, 'utf8'));
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

/** Applications to ads of the demo's hirers, the newest ads first: what a partner's back end would know from events. */
export function exampleApplications({ demo, world }) {
  const applied = Map.groupBy(
    [...world.candidateProfiles.values()].filter(({ kind }) => kind === 'application'),
    ({ positionProfileId }) => positionProfileId,
  );
  const ads = demo.hirers.flatMap(({ hirerId }) =>
    [...world.positionProfiles.values()]
      .filter((profile) => profile.hirerId === hirerId && applied.has(profile.id))
      .sort((a, b) => b.ad.startMs - a.ad.startMs)
      .slice(0, ADS_PER_HIRER),
  );
  const lists = ads.map(({ id }) => [id, applied.get(id).slice(0, APPLICATIONS_PER_AD)]);
  const known = lists.map(([ad, ids]) => [ad, ids.map(({ id }) => id)]);
  return `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`;
}
