import { AD_PRODUCTS } from './ad-products.js';
import type { Hirer } from './hirers.js';
import { makeHistory } from './history.js';
import { makePerson } from './people.js';
import { populateCandidates } from './populate-candidates.js';
import { SeededRandom } from './random.js';
import type { PositionOpening, PositionProfile } from './records.js';
import { World } from './world.js';

const DAY_MS = 86_400_000;
const OPENINGS_PER_HIRER = 100;
/** Identifiers that the upstream's public documentation shows, given to the first objects of the first hirer. */
const KNOWN_POSITIONS = ['2782PZfXV', '27cuZeA47'];
const KNOWN_BRANDINGS = ['37EWfWxhwVEGTT5BcjfE2L', '5DU2L2vQsyTXuu9NEUKT3f', '9Rw3f4qpkwv4poHjTwdu6K', 'BYAZKaoXhS9LHFMv5gJ87e'];
const KNOWN_QUESTIONNAIRES = ['SqFmkV8S2dMipyqbHjD9Mr', 'Jx1Gnnkf8uxhR3TeCkNsSK'];

/** A world full of data, the same for the same seed. Each hirer has its own generator, so that the data of one do not affect another's. */
export function makeWorld(seed: string, startMs: number): World {
  const world = new World(seed);
  let isFirst = true;
  for (const hirer of world.hirers.values()) {
    const random = new SeededRandom(`${seed}:${hirer.id}`);
    populateBrandings(world, hirer, random, isFirst ? KNOWN_BRANDINGS : []);
    populateQuestionnaires(world, hirer, random, isFirst ? KNOWN_QUESTIONNAIRES : []);
    populatePositions(world, hirer, random, startMs, isFirst ? KNOWN_POSITIONS : []);
    populateCandidates(world, hirer, random, startMs, isFirst);
    isFirst = false;
  }
  world.events.addAll(makeHistory(world, seed, startMs));
  return world;
}

function populateBrandings(world: World, hirer: Hirer, random: SeededRandom, known: readonly string[]): void {
  for (const [index, name] of ['Main', 'Graduates', 'Regional', 'Executive'].entries()) {
    const id = `globalPublicTest:advertisementBranding:hirerBranding:${known[index] ?? random.suffix()}`;
    world.brandings.set(id, { id, hirerId: hirer.id, name: `${hirer.name} ${name}` });
  }
}

function populateQuestionnaires(world: World, hirer: Hirer, random: SeededRandom, known: readonly string[]): void {
  const suffix = (index: number): string => known[index] ?? random.suffix();
  for (const index of [0, 1]) {
    const id = `seekAnzPublicTest:applicationQuestionnaire:rrv2:${suffix(index)}`;
    const choice = (text: string, preferred: boolean): { id: string; text: string; value: null; preferred: boolean } => ({
      id: `seekAnzPublicTest:applicationQuestionChoice:rrv2:${random.suffix()}`,
      text,
      value: null,
      preferred,
    });
    const question = `seekAnzPublicTest:applicationQuestion:rrv2:`;
    world.questionnaires.set(id, {
      id,
      hirerId: hirer.id,
      questions: [
        {
          id: question + random.suffix(),
          value: 'right-to-work',
          questionHtml: 'May you work in this country?',
          responseTypeCode: 'SingleSelect',
          choices: [choice('Yes', true), choice('No', false)],
        },
        { id: question + random.suffix(), value: null, questionHtml: 'Why this position?', responseTypeCode: 'FreeText', choices: [] },
      ],
    });
  }
}

function populatePositions(world: World, hirer: Hirer, random: SeededRandom, startMs: number, known: readonly string[]): void {
  for (let index = 0; index < OPENINGS_PER_HIRER; index++) {
    const opening = makeOpening(hirer, random);
    world.openings.set(opening.id, opening);
    const isPosted = known[index] !== undefined || random.chance(0.85);
    const profile = makePosition(world, hirer, opening, random, { startMs, isPosted, suffix: known[index] });
    world.positionProfiles.set(profile.id, profile);
    opening.profileIds.push(profile.id);
    if (!isPosted) opening.statusCode = 'Incomplete';
    else if (profile.endMs !== null && profile.endMs <= startMs) opening.statusCode = 'Closed';
  }
}

function makeOpening(hirer: Hirer, random: SeededRandom): PositionOpening {
  const contact = makePerson(random, hirer.market);
  return {
    id: `seekAnzPublicTest:positionOpening:seek:${random.suffix()}`,
    hirerId: hirer.id,
    statusCode: 'Active',
    contacts: [{ name: contact.formattedName, roleCode: 'HiringManager', emails: contact.emails, phones: contact.phones }],
    partnerMetadata: null,
    profileIds: [],
  };
}

const PAY = {
  AU: { currency: 'AUD', intervalCode: 'Year', from: 65_000, to: 160_000, step: 1_000 },
  ID: { currency: 'IDR', intervalCode: 'Month', from: 6_000_000, to: 35_000_000, step: 500_000 },
  TH: { currency: 'THB', intervalCode: 'Month', from: 18_000, to: 120_000, step: 1_000 },
} as const;

function makePosition(
  world: World,
  hirer: Hirer,
  opening: PositionOpening,
  random: SeededRandom,
  { startMs, isPosted, suffix }: { startMs: number; isPosted: boolean; suffix: string | undefined },
): PositionProfile {
  const category = random.pick([...world.jobCategories.values()].filter(({ titles }) => titles.length > 0));
  const parents = new Set([...world.locations.values()].map(({ parentId }) => parentId));
  const places = [...world.locations.values()].filter(({ id, countryCode }) => countryCode === hirer.market && !parents.has(id));
  const title = random.pick(category.titles);
  const daysAgo = random.int(1, 180);
  // Positions with a known identifier are open, so that examples can rely on them.
  const postedMs = startMs - (suffix === undefined ? daysAgo : 5) * DAY_MS + random.int(0, DAY_MS - 1);
  const ownOf = <T extends { readonly hirerId: string; readonly id: string }>(records: Map<string, T>): string =>
    random.pick([...records.values()].filter(({ hirerId }) => hirerId === hirer.id)).id;
  return {
    id: `seekAnzPublicTest:positionProfile:jobAd:${suffix ?? random.suffix(9)}`,
    openingId: opening.id,
    hirerId: hirer.id,
    kind: isPosted ? 'posted' : 'unposted',
    title,
    locationIds: [random.pick(places).id],
    categoryIds: [category.id],
    descriptions: [
      { descriptionId: 'AdvertisementDetails', content: `<p>${hirer.name} is looking for a ${title}.</p>` },
      { descriptionId: 'SearchSummary', content: `Join ${hirer.name} as ${title}.` },
    ],
    remuneration: makeRemuneration(hirer, random),
    workTypeCode: random.pick(['FullTime', 'PartTime', 'ContractTemp', 'Casual']),
    workArrangementCodes: [random.pick(['OnSite', 'Hybrid', 'Remote'])],
    adProductId: isPosted ? random.pick(AD_PRODUCTS).id : null,
    idempotencyId: null,
    questionnaireId: random.chance(0.5) ? ownOf(world.questionnaires) : null,
    brandingId: random.chance(0.7) || suffix !== undefined ? ownOf(world.brandings) : null,
    billingReference: random.chance(0.3) ? `PO-${String(random.int(1000, 9999))}` : null,
    jobReference: `REQ-${String(random.int(10_000, 99_999))}`,
    partnerMetadata: null,
    createdBySelf: random.chance(0.8),
    startMs: isPosted ? postedMs : null,
    endMs: isPosted ? postedMs + 30 * DAY_MS : null,
  };
}

function makeRemuneration(hirer: Hirer, random: SeededRandom): PositionProfile['remuneration'] {
  const { currency, intervalCode, from, to, step } = PAY[hirer.market];
  const minimum = from + step * random.int(0, Math.floor((to - from) / step));
  const maximum = minimum + step * random.int(5, 20);
  return {
    basisCode: 'Salaried',
    descriptions: [],
    ranges: [
      {
        intervalCode,
        minimumAmount: { currency, value: minimum },
        maximumAmount: { currency, value: maximum },
      },
    ],
  };
}
