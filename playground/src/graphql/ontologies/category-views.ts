import type { JobCategory } from '../../data/ontologies/job-categories.js';
import type { World } from '../../data/world.js';
import { type Context, type RootFields, textOf } from '../context.js';
import { findObject, requireEach } from '../find-object.js';
import { readLimit } from '../input-checks.js';
import { assertScheme } from '../scheme.js';

/** JobCategory of the schema. */
export function jobCategoryView(category: JobCategory): object {
  return {
    id: { value: category.id },
    name: (_args: unknown, context: Context) => textOf(category.name, context),
    parent: (_args: unknown, { world }: Context) => {
      const parent = world.jobCategories.get(category.parentId ?? '');
      return parent === undefined ? null : jobCategoryView(parent);
    },
    children: (_args: unknown, { world }: Context) => {
      const children = childrenOf(world, category.id);
      return children.length === 0 ? null : children.map(jobCategoryView);
    },
  };
}

/** The categories right below one, or the top level for null. */
export function childrenOf({ jobCategories }: World, parentId: string | null): JobCategory[] {
  return [...jobCategories.values()].filter((category) => category.parentId === parentId);
}

interface CategoriesArgs {
  readonly schemeId: string;
  readonly positionProfile?: { readonly positionLocation: readonly string[] } | null;
}

function listCategories({ schemeId, positionProfile }: CategoriesArgs, { world }: Context): object[] {
  assertScheme(schemeId);
  requireEach(world.locations, positionProfile?.positionLocation ?? [], 'positionProfile.positionLocation');
  return childrenOf(world, null).map(jobCategoryView);
}

interface SuggestionArgs {
  readonly schemeId: string;
  readonly positionProfile: { readonly positionTitle: string; readonly positionLocation: readonly string[] };
  readonly first?: number | null;
}

function suggestCategories(
  { schemeId, positionProfile, first }: SuggestionArgs,
  { world }: Context,
): object[] {
  assertScheme(schemeId);
  requireEach(world.locations, positionProfile.positionLocation, 'positionProfile.positionLocation');
  const words = new Set(wordsOf(positionProfile.positionTitle));
  const confidence = ({ name, titles }: JobCategory): number => {
    const known = wordsOf([name['en-AU'], ...titles].join(' '));
    return words.size === 0 ? 0 : [...words].filter((word) => known.includes(word)).length / words.size;
  };
  return [...world.jobCategories.values()]
    .filter(({ titles }) => titles.length > 0)
    .map((category) => ({ confidence: confidence(category), jobCategory: jobCategoryView(category) }))
    .filter((suggestion) => suggestion.confidence > 0)
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, readLimit(first, 10));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Queries for job categories. */
export const categoryQueries: RootFields = {
  jobCategories: listCategories,
  jobCategory: ({ id }: { id: string }, context) => {
    const category = findObject(context.world.jobCategories, id, context);
    return category && jobCategoryView(category);
  },
  jobCategorySuggestions: suggestCategories,
};
