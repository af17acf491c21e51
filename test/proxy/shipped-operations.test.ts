import { readFileSync } from 'node:fs';
import {
  TypeInfo,
  buildSchema,
  getNamedType,
  isInputObjectType,
  isScalarType,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLInputType,
} from 'graphql';
import { confineAnswer } from '../support/parts.js';
import { BffError } from '../../src/errors/bff-error.js';
import { loadOperations } from '../../src/operations/registered-operations.js';
import type { RegisteredOperation } from '../../src/operations/registered-operation.js';
import { answerTo, typesOfRoot } from './schema-answers.js';

/** The upstream's public schema, as the playground has it. */
const SCHEMA = buildSchema(readFileSync('playground/schema.graphql', 'utf8'));
const OPERATIONS = [...loadOperations(['shipped']).all()];
const named = (operations: readonly RegisteredOperation[]) =>
  operations.map((operation) => [operation.compiled.name, operation] as const);

const OWN = 'own';
const FOREIGN = 'foreign';

/**
 * The objects that a caller may name freely: ontologies, products that the upstream offers to everyone, and keys of its
 * own.
 */
const BELONGS_TO_NO_HIRER = new Set([
  'schemeId',
  'jobCategories',
  'positionLocation',
  'descriptionId',
  'idempotencyId',
  'seekAdvertisementProductId',
  'selectedAdvertisementProductId',
  'libraryQuestion.id',
]);
/** Members that hold an identifier, by their name. */
const IDENTIFIER = /(^id|Ids?|Organizations?|Categories|Location)$/;

/** Every place in an operation's variables where a caller can name an object. */
function namingPlaces({ compiled }: RegisteredOperation): string[] {
  const places: string[] = [];
  const follow = (type: GraphQLInputType, place: readonly string[]): void => {
    const named = getNamedType(type);
    if (isScalarType(named) && IDENTIFIER.test(place.at(-1)!)) places.push(place.join('.'));
    if (!isInputObjectType(named)) return;
    for (const field of Object.values(named.getFields())) follow(field.type, [...place, field.name]);
  };
  visit(compiled.document, {
    VariableDefinition: ({ variable, type }) =>
      follow(typeFromAST(SCHEMA, type) as GraphQLInputType, [variable.name.value]),
  });
  return places;
}

/** The places among them that a directive ties to the hirer, before anything is sent or by the answer. */
function tiedPlaces({ compiled }: RegisteredOperation): string[] {
  return compiled.bindings.flatMap((binding) => {
    if (binding.kind === 'variable') return [binding.variable.join('.')];
    if (binding.kind === 'query') return [...binding.variables.values()].map((place) => place.join('.'));
    return compiled.type === 'query' ? ['id'] : [];
  });
}

/** The scope that the comment of an operation names, as `docs/operations.md` has it. */
function documentedScope({ compiled }: RegisteredOperation): string | undefined {
  const [comment] = /^(?:#.*\n)*/.exec(readFileSync(compiled.source, 'utf8'))!;
  return /Needs the scope ([\w:-]+)/.exec(comment.replaceAll('\n#', ''))?.[1];
}

/** The schema's requirements on the token for the fields of a document: `scope …`, or `partner`. */
function accessTo(document: DocumentNode): Set<string> {
  const access = new Set<string>();
  const info = new TypeInfo(SCHEMA);
  const readField = (): void => {
    for (const { name, arguments: [argument] = [] } of info.getFieldDef()?.astNode?.directives ?? []) {
      if (name.value === 'partner') access.add('partner');
      if (name.value === 'scope' && argument) {
        access.add(`scope ${String(valueFromASTUntyped(argument.value))}`);
      }
    }
  };
  visit(document, visitWithTypeInfo(info, { Field: readField }));
  return access;
}

/** True if the caller would see the answer. */
function isShown({ compiled }: RegisteredOperation, data: unknown): boolean {
  const result = { status: 200, body: JSON.stringify({ data }), errors: undefined };
  const reader = { hirerId: OWN, mapText: (text: string) => text };
  return !(confineAnswer(compiled, result, reader) instanceof BffError);
}

const proven = OPERATIONS.filter(
  ({ compiled }) =>
    compiled.type === 'query' && compiled.bindings.some(({ kind }) => kind === 'path' || kind === 'anyPath'),
);

describe('the shipped operations', () => {
  test('that use a browser token need the scope that the documentation names, and no partner token', () => {
    for (const operation of OPERATIONS.filter(({ compiled }) => compiled.token === 'browser')) {
      const { name, document } = operation.compiled;
      const scope = documentedScope(operation);
      expect([name, ...accessTo(document)]).toEqual([name, `scope ${scope}`]);
    }
  });

  test('pass every argument as a variable, as interface 4.3 wants it', () => {
    expect(OPERATIONS.flatMap(({ compiled }) => [...compiled.arguments.inlined.keys()])).toEqual([]);
  });

  test('those of no hirer are open to machines alone, and read only', () => {
    const unbound = OPERATIONS.filter(({ isUnbound }) => isUnbound).map(({ compiled }) => compiled);
    expect(unbound.map(({ name, type, roles }) => [name, type, roles])).toEqual([
      ['ConnectedHirers', 'query', ['machine']],
      ['WebhookSubscriptions', 'query', ['machine']],
    ]);
  });

  test.each(
    named(OPERATIONS.filter(({ compiled, isUnbound }) => compiled.token === 'partner' && !isUnbound)),
  )('%s lets a caller name no object whose hirer is not checked', (_, operation) => {
    const tied = new Set(tiedPlaces(operation));
    const free = namingPlaces(operation).filter(
      (place) =>
        !tied.has(place) &&
        ![...BELONGS_TO_NO_HIRER].some((name) => place === name || place.endsWith(`.${name}`)),
    );
    expect(free).toEqual([]);
  });

  describe.each(named(proven))('%s', (_, operation) => {
    const types = typesOfRoot(SCHEMA, operation.compiled.document);
    const answers = types.map((type) => answerTo(SCHEMA, operation.compiled.document, type, OWN));

    test('shows an object of the hirer', () => {
      const shown = answers.map(({ data }) => isShown(operation, data));
      expect(shown).toContain(true);
    });

    test('shows nothing when any organization in the answer is another hirer', () => {
      for (const { data, owners } of answers) {
        for (const owner of owners) {
          owner.set(FOREIGN);
          expect(isShown(operation, data)).toBe(false);
          owner.set(OWN);
        }
      }
    });

    test('shows nothing when the answer leads to no hirer', () => {
      for (const { data, owners } of answers) {
        for (const owner of owners) owner.set(null);
        expect(isShown(operation, data)).toBe(false);
      }
    });
  });
});
