import { GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from './context.js';
import { depthOf } from './depth.js';
import { findRuleBreaks } from './operation-rules.js';

/** Notes what an operation breaks of interface.md 4.3, or refuses it, as the switch says; refuses what is too deep. */
export function rulesPlugin(): Plugin<object, Context> {
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const { document, variableValues, contextValue } = args as ExecutionArgs;
      const context = contextValue as Context;
      const { operationRules, depthMax } = context.switches;
      const breaks = findRuleBreaks(document, variableValues ?? {});
      context.ruleBreaks.push(...breaks);
      const faults = operationRules === 'refuse' ? breaks : [];
      if (depthMax > 0 && depthOf(document) > depthMax) faults.push('The operation is nested too deeply.');
      if (faults.length === 0) return;
      const errors = faults.map((text) => new GraphQLError(text, { extensions: { code: 'BAD_USER_INPUT' } }));
      setResultAndStopExecution({ errors });
    },
  };
}

/** Gives every result its latency (interface.md 2.4) and every error a code (section 7). */
export function resultPlugin(): Plugin<object, Context> {
  return {
    onExecutionResult: (hook) => {
      const { result } = hook;
      if (result === undefined || Array.isArray(result) || Symbol.asyncIterator in result) return;
      const context = hook.context as unknown as Context;
      const coded = withCodes(result as ExecutionResult);
      const requestLatency = Math.round(performance.now() - context.startedAtMs);
      const extensions = { ...coded.extensions, requestLatency };
      hook.setResult(context.switches.requestLatency ? { ...coded, extensions } : coded);
    },
  };
}

/** Faults that GraphQL itself finds in variables carry no code of their own. */
function withCodes(result: ExecutionResult): ExecutionResult {
  for (const error of result.errors ?? []) {
    if (error.extensions['code'] === undefined) error.extensions['code'] = 'BAD_USER_INPUT';
  }
  return result;
}
