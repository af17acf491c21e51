import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

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

const DELIVERED = [
  'CandidateApplicationCreated',
  'CandidateProfilePurchased',
  'PositionProfilePosted',
  'PositionNotPosted',
  'HirerRelationshipChanged',
];

/** What the playground's sink gets for an event of each type, the same at every run: ids of events, times and links are fixed. */
export async function exampleDeliveries({ demo, eventSink, events, subscribe }, serviceUrl) {
  subscribe({ url: `${serviceUrl}/webhooks` });
  const { hirerId } = demo.hirers[0];
  const bodies = [];
  for (const type of DELIVERED) {
    const { id } = events.emit(type, { hirerId });
    // The object of each is read before the next happens: the last takes the relationships away.
    while (eventSink.list(id).length === 0) await setTimeout(50);
    bodies.push(eventSink.list(id)[0].body);
  }
  return JSON.parse(
    JSON.stringify(bodies.map((body) => ({ ...body, data: { id: '', ...body.data } })))
      .replaceAll(/(?<=:event:events:)\w+/g, '5cKZnRzXas97fyUAhpiAV1')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-01-02T03:04:05.678Z')
      .replaceAll(/"\d{4}-\d\d"/g, '"2021-03"')
      .replaceAll(/"date":"\d{4}"/g, '"date":"2017"')
      .replaceAll(/"\/attachments\/[^"]+"/g, '"/attachments/C2Qj0NUB_K6V2kT5fkdamKTIY0IX8dWc"'),
  );
}
