import { Kind, parse, print, visit, type FieldDefinitionNode } from 'graphql';

/**
 * SDL with a change to every field of that name, as an upstream would make it.
 * @param types those whose field is changed; all without
 */
export function changeFields(
  sdl: string,
  name: string,
  change: 'remove' | 'deprecate',
  types?: readonly string[],
): string {
  let isInside = false;
  const changed = (node: FieldDefinitionNode): FieldDefinitionNode | null =>
    change === 'remove' ? null : { ...node, directives: [DEPRECATED] };
  return print(
    visit(parse(sdl), {
      enter: (node) => {
        if (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION) {
          isInside = !types || types.includes(node.name.value);
        }
        if (node.kind !== Kind.FIELD_DEFINITION || !isInside || node.name.value !== name) return undefined;
        return changed(node);
      },
    }),
  );
}

const DEPRECATED = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'deprecated' } } as const;
