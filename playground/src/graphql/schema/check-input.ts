import type { ConstDirectiveNode, GraphQLArgument, GraphQLInputField, GraphQLInputType } from 'graphql';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { graphql } from '../graphql-packages.js';
import { INPUT_RULES, type Rule, type RuleArgs } from './input-rules.js';

/**
 * Throws unless the arguments of a field follow the rules that the schema states for them and for what is in them.
 * What is left out is null from then on.
 */
export function checkArguments(
  declared: readonly GraphQLArgument[],
  values: Record<string, unknown>,
  context: Context,
): void {
  for (const argument of declared) checkMember(argument, values, argument.name, context);
}

/** The description of a member with the sentences of its rules. */
export function describeMember({ description, astNode }: Member): string | null {
  const said = rulesOf(astNode?.directives).map(({ rule, args }) => rule.says?.(args) ?? '');
  return [description ?? '', ...said].filter((text) => text !== '').join(' ') || null;
}

type Member = GraphQLArgument | GraphQLInputField;
type StatedRule = { readonly name: string; readonly rule: Rule; readonly args: RuleArgs };

function rulesOf(directives: readonly ConstDirectiveNode[] = []): StatedRule[] {
  return directives.flatMap(({ name, arguments: given = [] }) => {
    const rule = INPUT_RULES[name.value];
    if (rule === undefined) return [];
    const args = Object.fromEntries(
      given.map((one) => [one.name.value, graphql.valueFromASTUntyped(one.value)]),
    );
    return [{ name: name.value, rule, args: { min: 0, ...args } as unknown as RuleArgs }];
  });
}

function checkMember(member: Member, of: Record<string, unknown>, field: string, context: Context): void {
  const value = (of[member.name] ??= null);
  const rules = rulesOf(member.astNode?.directives);
  const isStated = (wanted: string): boolean => rules.some(({ name }) => name === wanted);
  if (value === null) {
    if (isStated('required')) throw invalid(field, 'is required');
  } else if (isStated('absent')) {
    throw invalid(field, 'must be left out');
  } else {
    check(member.type, rules, value, field, context);
  }
}

function check(
  type: GraphQLInputType,
  rules: readonly StatedRule[],
  value: unknown,
  field: string,
  context: Context,
): void {
  if (graphql.isNonNullType(type)) return check(type.ofType, rules, value, field, context);
  const isList = graphql.isListType(type);
  if (isList) {
    for (const [index, member] of (value as unknown[]).entries()) {
      if (member !== null) check(type.ofType, rules, member, `${field}[${String(index)}]`, context);
    }
  } else if (graphql.isInputObjectType(type)) {
    for (const inner of Object.values(type.getFields())) {
      checkMember(inner, value as Record<string, unknown>, `${field}.${inner.name}`, context);
    }
  }
  for (const { rule, args } of rules.filter((one) => isList === (one.rule.isOfList === true))) {
    const requirement = rule.check?.(value as never, args, context, field);
    if (requirement !== undefined) throw invalid(field, requirement);
  }
}
