import { Kind, visit, type DocumentNode, type OperationDefinitionNode, type ValueNode } from 'graphql';

/** What the text of an operation says about its arguments, for the rules of interface 4.3. */
export interface ArgumentUse {
  /** Rule 1: arguments written into the text, each as a sentence with its corrected form. */
  readonly inlined: readonly string[];
  /** Variables that may be left out, and where each stands: `events(after:)`. */
  readonly optional: ReadonlyMap<string, string>;
}

const DEPTH_MAX = 32;

/** Reads the arguments of one operation of the document, fragments included. Introspection has no rules. */
export function readArguments(document: DocumentNode, operation: OperationDefinitionNode): ArgumentUse {
  const inlined = new Set<string>();
  const uses = new Map<string, string>();
  visit(document, {
    Directive: () => false,
    OperationDefinition: (node) => (node === operation ? undefined : false),
    Field: (field) => {
      if (field.name.value.startsWith('__')) return false;
      for (const { name, value } of field.arguments ?? []) {
        if (value.kind === Kind.VARIABLE) uses.set(value.name.value, `${field.name.value}(${name.value}:)`);
        else inlined.add(describeInlined(operation.operation, field.name.value, name.value, value));
      }
      return undefined;
    },
  });
  const optional = new Map<string, string>();
  for (const { variable, type, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    if (type.kind !== Kind.NON_NULL_TYPE) optional.set(name, (!defaultValue && uses.get(name)) || '');
  }
  return { inlined: [...inlined], optional };
}

/** Rule 1 and rule 2 of interface 4.3 for one call: a sentence for each break, with the corrected form. */
export function findRuleBreaks(
  { inlined, optional }: ArgumentUse,
  variables: Readonly<Record<string, unknown>>,
): readonly string[] {
  const breaks: string[] = [];
  for (const [name, use] of optional) {
    if (!Object.hasOwn(variables, name)) {
      if (use !== '')
        breaks.push(`${use} is set to $${name}, which carries no value; leave the argument out`);
    } else if (isEmpty(variables[name])) breaks.push(describeEmpty(`$${name}`, variables[name]));
  }
  for (const name in variables)
    if (hasEmptyMember(variables[name], 0)) findEmptyMembers(variables[name], `$${name}`, breaks, 0);
  return breaks.length === 0 ? inlined : [...inlined, ...breaks];
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '';
}

/** Whether there is anything to describe; nearly always not, and describing is what costs. */
function hasEmptyMember(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return false;
  if (Array.isArray(value)) return value.some((element) => hasEmptyMember(element, depth + 1));
  return Object.values(value).some((member) => isEmpty(member) || hasEmptyMember(member, depth + 1));
}

/** Members of input objects; the elements of a list are no arguments, but may be objects. */
function findEmptyMembers(value: unknown, path: string, breaks: string[], depth: number): void {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return;
  for (const [name, member] of Object.entries(value)) {
    const place = Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`;
    if (!Array.isArray(value) && isEmpty(member)) breaks.push(describeEmpty(place, member));
    else findEmptyMembers(member, place, breaks, depth + 1);
  }
}

function describeEmpty(place: string, value: unknown): string {
  return `${place} is ${value === null ? 'null' : 'an empty string'}; leave it out when it is not used`;
}

/** Without the value itself: what stands in an argument may be personal, and this goes to the log. */
function describeInlined(operation: string, field: string, argument: string, value: ValueNode): string {
  const corrected = `${operation} ($${argument}: ${typeOf(value)}) { ${field}(${argument}: $${argument}) }`;
  return `${field}(${argument}:) is inlined; write ${corrected} and send variables {"${argument}": ...}`;
}

/** The type a literal most likely has; what the schema alone knows is left to the author. */
function typeOf({ kind }: ValueNode): string {
  switch (kind) {
    case Kind.STRING:
      return 'String!';
    case Kind.INT:
      return 'Int!';
    case Kind.FLOAT:
      return 'Float!';
    case Kind.BOOLEAN:
      return 'Boolean!';
    case Kind.VARIABLE:
    case Kind.NULL:
    case Kind.ENUM:
    case Kind.LIST:
    case Kind.OBJECT:
      return 'its type';
    default:
      return kind satisfies never;
  }
}
