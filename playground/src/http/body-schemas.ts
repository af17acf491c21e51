import type { ErrorObject } from 'ajv';
import type { FastifySchemaValidationError } from 'fastify';

type Properties = Readonly<Record<string, { readonly enum?: string[] }>>;

/** What is wrong with a value, as a sentence that names the member at fault; ajv is verbose, so it names the schema too. */
export function sentenceOf([fault]: readonly FastifySchemaValidationError[]): Error {
  const { keyword, instancePath, params, message, parentSchema } = fault as ErrorObject;
  const properties = (parentSchema?.['properties'] ?? {}) as Properties;
  const known = Object.keys(properties).join(', ');
  const missing = String(params['missingProperty']);
  const words = properties[missing]?.enum?.join(', ');
  const member = instancePath.slice(1).replaceAll('/', '.') || 'It';
  switch (keyword) {
    case 'additionalProperties':
      return new Error(`${String(params['additionalProperty'])} is not known; the properties are ${known}.`);
    case 'required':
      return new Error(`${missing} is required${words ? `: ${words}` : ''}.`);
    case 'enum':
      return new Error(`${member} is one of ${(params['allowedValues'] as string[]).join(', ')}.`);
    case 'pattern':
      return new Error(`${member} is not blank.`);
    default:
      return new Error(`${member} ${String(message)}.`);
  }
}

/** How JSON Schema has the members that several controls take. */
export const TEXT = { type: 'string' } as const;
/** A text that is not blank. */
export const NAME = { ...TEXT, pattern: String.raw`\S` } as const;
/** A list of texts. */
export const TEXTS = { type: 'array', items: TEXT } as const;
/** True or false. */
export const FLAG = { type: 'boolean' } as const;
/** How many things a control makes at once, or how often something happens. */
export const COUNT = { type: 'integer', minimum: 0, maximum: 10_000 } as const;
/** A wait in milliseconds that Node's timers accept. */
export const WAIT_MS = { type: 'number', minimum: 0, maximum: 2 ** 31 - 1 } as const;

/** The value of a member, by its JSON Schema. */
export type ValueOf<Schema> = Schema extends { readonly enum: readonly (infer Word)[] }
  ? Word
  : Schema extends { readonly type: 'array'; readonly items: infer Item }
    ? readonly ValueOf<Item>[]
    : Schema extends { readonly type: 'object'; readonly additionalProperties: infer Value }
      ? Readonly<Record<string, ValueOf<Value>>>
      : Schema extends { readonly type: infer Type extends keyof Values }
        ? Values[Type]
        : never;

interface Values {
  readonly string: string;
  readonly boolean: boolean;
  readonly integer: number;
  readonly number: number;
  readonly object: Readonly<Record<string, unknown>>;
}

/** A body, by the JSON Schemas of its members, each of which may be left out unless it is required. */
export type Body<Schemas, Required extends keyof Schemas = never> = {
  readonly [Name in keyof Schemas]?: ValueOf<Schemas[Name]>;
} & { readonly [Name in Required]: ValueOf<Schemas[Name]> };
