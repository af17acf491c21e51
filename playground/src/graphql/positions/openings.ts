import type { Contact, PositionOpening } from '../../data/positions/position-records.js';
import { assertHirer } from '../access.js';
import { assertStateful, type Context, type RootFields } from '../context.js';
import { invalid } from '../errors.js';
import { findObject } from '../find-object.js';
import { pageOf, type PageArgs } from '../paging.js';
import { assertContacts, readOpening, requireOpening, type OpeningInput } from './posting.js';

const FIELD = 'input.positionOpening';

type OpeningArgs<T = object> = {
  readonly input: { readonly positionOpening: T & { readonly documentId: string } };
};

/** A mutation of an opening that exists: changes it once its input is checked. */
function changing<T>(
  check: (input: T, opening: PositionOpening) => void,
  change: (opening: PositionOpening, input: T, context: Context) => void,
) {
  return ({ input }: OpeningArgs<T>, context: Context): object => {
    const { positionOpening: wanted } = input;
    const opening = requireOpening(wanted.documentId, `${FIELD}.documentId`, context);
    check(wanted, opening);
    assertStateful(context);
    change(opening, wanted, context);
    return { positionOpening: opening };
  };
}

/** Mutations of position openings. */
export const openingMutations: RootFields = {
  createPositionOpening: ({ input }: { input: { positionOpening: OpeningInput } }, context) => {
    const opening = readOpening(input.positionOpening, context);
    assertStateful(context);
    context.world.openings.set(opening.id, opening);
    return { positionOpening: opening };
  },
  updatePositionOpeningStatus: changing<{ statusCode: string }>(
    () => undefined,
    (opening, { statusCode }) => void Object.assign(opening, { statusCode }),
  ),
  updatePositionOpeningPersonContacts: changing<{ personContacts: readonly Contact[] }>(
    ({ personContacts }) => assertContacts(personContacts, `${FIELD}.personContacts`),
    (opening, { personContacts: contacts }) => void Object.assign(opening, { contacts }),
  ),
  deletePositionOpening: changing(
    (_input, { profileIds }) => {
      if (profileIds.length === 0) return;
      throw invalid(`${FIELD}.documentId`, 'must identify an opening without profiles');
    },
    ({ id }, _input, { world }) => void world.openings.delete(id),
  ),
};

interface OpeningsArgs extends PageArgs {
  readonly hirerId: string;
  readonly filter?: { readonly statusCode?: string | null } | null;
}

/** Queries for position openings. */
export const openingQueries: RootFields = {
  positionOpening: ({ id }: { id: string }, context) => {
    const opening = findObject(context.world.openings, id, context);
    if (opening !== null) assertHirer(opening.hirerId, context, 'JobPosting');
    return opening;
  },
  positionOpenings: ({ hirerId, filter, ...page }: OpeningsArgs, context) => {
    assertHirer(hirerId, context, 'JobPosting');
    const status = filter?.statusCode;
    const own = [...context.world.openings.values()]
      .filter((opening) => opening.hirerId === hirerId && (status == null || opening.statusCode === status))
      .reverse();
    return pageOf(own, page, { list: 'positionOpenings', sizeMax: 20 });
  },
};
