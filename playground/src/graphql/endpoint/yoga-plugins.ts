import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../context.js';
import { depthOf } from './depth.js';
import { findRuleBreaks } from './operation-rules.js';
import { GraphQLError } from '../graphql-packages.js';

/** Notes what an operation breaks of interface.md 4.3, or refuses it, as the switch says; refuses what is too deep. */
export function rulesPlugin(): Plugin<object, Context> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { document, variableValues, operationName, contextValue } = args as ExecutionArgs;
      const context = contextValue as Context;
      const { operationRules, depthMax } = context.switches;
      const breaks = findRuleBreaks(document, variableValues ?? {}, operationName ?? undefined);
      context.ruleBreaks.push(...breaks);
      const faults = operationRules === 'refuse' ? breaks : [];
      if (depthMax > 0 && depthOf(document) > depthMax) faults.push('The operation is nested too deeply.');
      if (faults.length === 0) return;
      const errors = faults.map((text) => new GraphQLError(text, { extensions: { code: 'BAD_USER_INPUT' } }));
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
      const complete = (single: object): ExecutionResult => withLatency(withCodes(single), context);
      hook.setResult(Array.isArray(result) ? result.map(complete) : complete(result));
    },
  };
}

function withLatency<T extends { extensions?: object }>(
  result: T,
  { switches, startedAtMs }: Pick<Context, 'switches' | 'startedAtMs'>,
): T {
  return switches.requestLatency
    ? { ...result, extensions: { ...result.extensions, ...latencySince(startedAtMs) } }
    : result;
}

/** The member of `extensions` that tells how long a request took, in whole milliseconds. */
export function latencySince(startedAtMs: number): { requestLatency: number } {
  return { requestLatency: Math.round(performance.now() - startedAtMs) };
}

/** Faults that GraphQL itself finds in variables carry no code of their own. */
function withCodes(result: ExecutionResult): ExecutionResult {
  for (const error of result.errors ?? []) {
    if (error.extensions['code'] === undefined) error.extensions['code'] = 'BAD_USER_INPUT';
  }
  return result;
}
