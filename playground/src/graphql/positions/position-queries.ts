import { assertHirer, tokenOf } from '../access.js';
import type { Context, RootFields } from '../context.js';
import { graphqlError } from '../errors.js';
import { findObject } from '../find-object.js';
import { assertOneOf } from '../input-checks.js';
import { pageOf, type PageArgs } from '../paging.js';
import { isReadable, openingView, positionProfileView } from './position-views.js';
import { previewPosition } from './previews.js';

/** The statuses of an opening. */
export const OPENING_STATUSES = ['Incomplete', 'Active', 'Closed'];

interface OpeningsArgs extends PageArgs {
  readonly hirerId: string;
  readonly filter?: { readonly statusCode?: string | null } | null;
}

function listOpenings({ hirerId, filter, ...page }: OpeningsArgs, context: Context): object {
  assertHirer(hirerId, context, 'JobPosting');
  const status = filter?.statusCode;
  if (status != null) assertOneOf(status, OPENING_STATUSES, 'filter.statusCode');
  const own = [...context.world.openings.values()]
    .filter((opening) => opening.hirerId === hirerId && (status == null || opening.statusCode === status))
    .reverse();
  return pageOf(own, page, {
    list: 'positionOpenings',
    sizeMax: 20,
    keyOf: ({ id }) => id,
    node: openingView,
  });
}

function findProfile({ id }: { id: string }, context: Context): object | null {
  const profile = findObject(context.world.positionProfiles, id, context);
  if (profile === null) return null;
  assertHirer(profile.hirerId, context);
  if (profile.ad === null && tokenOf(context).kind === 'browser') {
    throw graphqlError('FORBIDDEN', 'Browser tokens can only read posted profiles.');
  }
  return isReadable(profile) ? positionProfileView(profile) : null;
}

/** Queries for position openings and profiles. */
export const positionQueries: RootFields = {
  positionOpening: ({ id }: { id: string }, context) => {
    const opening = findObject(context.world.openings, id, context);
    if (opening === null) return null;
    assertHirer(opening.hirerId, context, 'JobPosting');
    return openingView(opening);
  },
  positionOpenings: listOpenings,
  positionProfile: findProfile,
  postedPositionProfilePreview: previewPosition,
};
