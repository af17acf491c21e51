import type { PositionOpening } from '../../data/positions/position-records.js';
import { assertHirer } from '../access.js';
import type { SpecifiedPersonInput } from '../arguments.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { objectById } from '../find-object.js';
import type { Resolvers } from '../schema/build-schema.js';
import { readOpening, requireOpening } from './posting.js';

const FIELD = 'input.positionOpening.documentId';

/** A mutation of an opening that exists. */
function changing<T>(change: (opening: PositionOpening, input: T) => void) {
  return ({ input }: { input: { positionOpening: T & { documentId: string } } }, context: Context) => {
    const positionOpening = requireOpening(input.positionOpening.documentId, FIELD, context);
    return (): object => {
      change(positionOpening, input.positionOpening);
      return { positionOpening };
    };
  };
}

/** Queries and mutations of position openings. */
export const openings: Resolvers = {
  Query: {
    positionOpening: objectById('openings', 'JobPosting'),
    positionOpenings: ({ hirerId, filter }, context) => {
      assertHirer(hirerId, context, 'JobPosting');
      const status = filter?.statusCode ?? null;
      return [...context.world.openings.values()]
        .filter(
          (opening) => opening.hirerId === hirerId && (status === null || opening.statusCode === status),
        )
        .reverse();
    },
  },
  Mutation: {
    createPositionOpening: ({ input }, context) => {
      const positionOpening = readOpening(input.positionOpening, context);
      return () => {
        context.world.openings.set(positionOpening.id, positionOpening);
        return { positionOpening };
      };
    },
    updatePositionOpeningStatus: changing<{ statusCode: string }>((opening, { statusCode }) => {
      opening.statusCode = statusCode;
    }),
    updatePositionOpeningPersonContacts: changing<{ personContacts: readonly SpecifiedPersonInput[] }>(
      (opening, { personContacts }) => {
        opening.contacts = personContacts;
      },
    ),
    deletePositionOpening: ({ input }, context) => {
      const positionOpening = requireOpening(input.positionOpening.documentId, FIELD, context);
      if (positionOpening.profileIds.length > 0) {
        throw invalid(FIELD, 'must identify an opening without profiles');
      }
      return () => {
        context.world.openings.delete(positionOpening.id);
        return { positionOpening };
      };
    },
  },
};
