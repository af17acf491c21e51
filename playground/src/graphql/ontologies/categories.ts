import type { JobCategory } from '../../data/ontologies.js';
import type { World } from '../../data/world.js';
import type { Context, RootFields, TypeFields } from '../context.js';
import { findObject } from '../find-object.js';

/** Fields of job categories. */
export const categoryFields: TypeFields = {
  JobCategory: {
    children: ({ id }: JobCategory, _args: unknown, { world }) => {
      const children = childrenOf(world, id);
      return children.length === 0 ? null : children;
    },
  },
};

/** The categories right below one, or the top level for null. */
function childrenOf({ jobCategories }: World, parentId: string | null): JobCategory[] {
  return [...jobCategories.values()].filter((category) => category.parentId === parentId);
}

interface SuggestionArgs {
  readonly positionProfile: { readonly positionTitle: string };
  readonly first?: number | null;
}

function suggestCategories({ positionProfile, first }: SuggestionArgs, { world }: Context): object[] {
  const words = new Set(wordsOf(positionProfile.positionTitle));
  const confidence = ({ name, titles }: JobCategory): number => {
    const known = wordsOf([name['en-AU'], ...titles].join(' '));
    return words.size === 0 ? 0 : [...words].filter((word) => known.includes(word)).length / words.size;
  };
  return [...world.jobCategories.values()]
    .filter(({ titles }) => titles.length > 0)
    .map((jobCategory) => ({ confidence: confidence(jobCategory), jobCategory }))
    .filter((suggestion) => suggestion.confidence > 0)
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, first ?? 10);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Queries for job categories. */
export const categoryQueries: RootFields = {
  jobCategories: (_args: unknown, { world }) => childrenOf(world, null),
  jobCategory: ({ id }: { id: string }, context) => findObject(context.world.jobCategories, id, context),
  jobCategorySuggestions: suggestCategories,
};
