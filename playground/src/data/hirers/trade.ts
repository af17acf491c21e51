import type { JobCategory } from '../ontologies/job-categories.js';
import type { World } from '../world.js';
import type { Hirer } from './hirers.js';

/** The categories of the trade of a hirer that positions can have. */
export function tradeOf({ tradeId }: Hirer, { jobCategories }: World): JobCategory[] {
  return [...jobCategories.values()].filter(
    ({ parentId, titles }) => titles.length > 0 && (tradeId === undefined || parentId === tradeId),
  );
}
