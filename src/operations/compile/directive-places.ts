import { visit, type DirectiveNode, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import { editDistance } from '../../config/edit-distance.js';
import { readDirectiveArguments } from './directive-arguments.js';
import { DocumentFault } from './document-fault.js';
import { OWN_DIRECTIVES } from './operation-directives.js';

/** Ours, and those of GraphQL itself that an operation may use; no other is known to be understood upstream. */
const KNOWN: ReadonlySet<string> = new Set([...OWN_DIRECTIVES, 'include', 'skip']);
/** Letters by which a name may differ from the one that was probably meant. */
const TYPING_ERRORS_MAX = 2;

/**
 * Checks that every directive is known and where ours are used: `@max` on variables, `@attachment` on fields without a
 * selection, all others on the operation.
 * @returns every `@attachment`
 * @throws DocumentFault
 */
export function checkDirectivePlaces(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly DirectiveNode[] {
  const onOperation = new Set<object>(operation.directives);
  const onVariables = new Set<object>(
    operation.variableDefinitions?.flatMap(({ directives = [] }) => directives),
  );
  const attachments = readAttachments(document);
  const places: Readonly<Record<string, ReadonlySet<object>>> = {
    max: onVariables,
    attachment: new Set(attachments),
  };
  visit(document, {
    Directive: (node) => {
      const name = node.name.value;
      if (!KNOWN.has(name)) throw DocumentFault.at(node, `there is no directive @${name}${suggestion(name)}`);
      if (OWN_DIRECTIVES.has(name) && !(places[name] ?? onOperation).has(node)) {
        throw DocumentFault.at(node, `@${name} is not allowed here`);
      }
    },
  });
  return attachments;
}

function readAttachments(document: DocumentNode): DirectiveNode[] {
  const attachments: DirectiveNode[] = [];
  visit(document, {
    Field: ({ directives = [], selectionSet }) => {
      const [node, again] = directives.filter(({ name }) => name.value === 'attachment');
      if (!node) return;
      if (again) throw DocumentFault.at(again, '@attachment is given twice');
      if (selectionSet) throw DocumentFault.at(node, '@attachment is for fields without a selection');
      readDirectiveArguments(node, []);
      attachments.push(node);
    },
  });
  return attachments;
}

function suggestion(name: string): string {
  const meant = [...KNOWN].find((known) => editDistance(name, known) <= TYPING_ERRORS_MAX);
  return meant === undefined ? '' : `; did you mean @${meant}?`;
}
