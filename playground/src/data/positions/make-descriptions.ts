import type { Hirer } from '../hirers/hirers.js';
import type { Description } from './position-records.js';
import type { SeededRandom } from '../random.js';

const TEAMS = ['a small team', 'a team of twelve', 'colleagues in three locations', 'an experienced team'];
const TASKS = [
  'Plan the work of the week with your team.',
  'Keep records complete and up to date.',
  'Answer questions from customers and colleagues.',
  'Find out what goes wrong, and put it right.',
  'Train new colleagues.',
  'Report each month on what you have achieved.',
];
const OFFERS = ['Flexible hours', 'Paid training', 'Free parking', 'Work close to home', 'A day off on your birthday'];

/** The texts of an ad: its details with tasks and offers, a summary, and bullet points. */
export function makeDescriptions(title: string, { name }: Hirer, random: SeededRandom): Description[] {
  const tasks = TASKS.filter(() => random.chance(0.6));
  const offers = OFFERS.filter(() => random.chance(0.5)).slice(0, 3);
  const list = (heading: string, items: readonly string[]): string =>
    items.length === 0
      ? ''
      : `<p><strong>${heading}</strong></p><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
  const opening = `<p>Work as ${title} at ${name}, in ${random.pick(TEAMS)}.</p>`;
  const closing = '<p>Apply now. We answer within two weeks.</p>';
  return [
    {
      descriptionId: 'AdvertisementDetails',
      content: `${opening}${list('Your work', tasks)}${list('What we offer', offers)}${closing}`,
    },
    { descriptionId: 'SearchSummary', content: `Join ${name} as ${title}.` },
    ...offers.map((content) => ({ descriptionId: 'SearchBulletPoint', content })),
  ];
}
