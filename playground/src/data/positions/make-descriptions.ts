import type { Hirer } from '../hirers/hirers.js';
import type { Description } from './position-records.js';
import type { SeededRandom } from '../random.js';

const TEAMS = ['a small team', 'a team of twelve', 'colleagues in three countries', 'people who like their work'];
const TASKS = [
  'Plan the work of the week with your team.',
  'Keep records complete and up to date.',
  'Answer questions of customers and colleagues.',
  'Find out what goes wrong, and put it right.',
  'Teach new colleagues how we work.',
  'Report what you have achieved each month.',
];
const OFFERS = ['Flexible hours', 'Paid training', 'Free parking', 'Work close to home', 'A day off on your birthday'];

/** The texts of an ad: its details with tasks and offers, a summary, and bullet points. */
export function makeDescriptions(title: string, { name }: Hirer, random: SeededRandom): Description[] {
  const tasks = TASKS.filter(() => random.chance(0.6));
  const offers = OFFERS.filter(() => random.chance(0.5)).slice(0, 3);
  const list = (items: readonly string[]): string => `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
  const details = [
    `<p>${name} is looking for a ${title} who joins ${random.pick(TEAMS)}.</p>`,
    tasks.length === 0 ? '' : `<p><strong>Your work</strong></p>${list(tasks)}`,
    offers.length === 0 ? '' : `<p><strong>What we offer</strong></p>${list(offers)}`,
    '<p>Apply now. We answer within two weeks.</p>',
  ];
  return [
    { descriptionId: 'AdvertisementDetails', content: details.join('') },
    { descriptionId: 'SearchSummary', content: `Join ${name} as ${title}.` },
    ...offers.map((content) => ({ descriptionId: 'SearchBulletPoint', content })),
  ];
}
