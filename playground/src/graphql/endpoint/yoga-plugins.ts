import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../context.js';
import { findRuleBreaks } from './operation-rules.js';
import { graphql } from '../graphql-packages.js';

/** Notes what an operation breaks of interface.md 4.3, or refuses it, as the switch says. */
export function rulesPlugin(): Plugin<object, Context> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { document, variableValues, operationName, contextValue } = args as ExecutionArgs;
      const context = contextValue as Context;
      const breaks = findRuleBreaks(document, variableValues ?? {}, operationName ?? undefined);
      context.ruleBreaks.push(...breaks);
      if (breaks.length === 0 || context.switches.operationRules === 'note') return;
      const errors = breaks.map(
        (text) => new graphql.GraphQLError(text, { extensions: { code: 'BAD_USER_INPUT' } }),
      );
      setResultAndStopExecution({ errors });
    },
  };
}

/** Gives every result its latency (interface.md 2.4) and every error a code (section 7), in malformed items too. */
export function resultPlugin(): Plugin<object, Context> {
  return {
    onResultProcess: (hook) => {
      const { result } = hook;
      const context = hook.serverContext as unknown as Context;
      const complete = (single: object): ExecutionResult => withLatency(withCodes(single, context), context);
      hook.setResult(Array.isArray(result) ? result.map(complete) : complete(result));
    },
  };
}

function withLatency<T extends { extensions?: object }>(
  result: T,
  { startedAtMs }: Pick<Context, 'startedAtMs'>,
): T {
  return { ...result, extensions: { ...result.extensions, ...latencySince(startedAtMs) } };
}

/** The member of `extensions` that tells how long a request took, in whole milliseconds. */
export function latencySince(startedAtMs: number): { requestLatency: number } {
  return { requestLatency: Math.round(performance.now() - startedAtMs) };
}

/**
 * Faults that GraphQL itself finds in variables carry no code of their own; `spec` has yoga answer them with 200, as the
 * others. The call log keeps the codes.
 */
function withCodes(result: ExecutionResult, { codes }: Pick<Context, 'codes'>): ExecutionResult {
  for (const { extensions } of result.errors ?? []) {
    if (!('code' in extensions)) Object.assign(extensions, { code: 'BAD_USER_INPUT', http: { spec: true } });
    codes.push(extensions['code'] as string);
  }
  return result;
}
