import { visit, type DirectiveNode, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import { readDirectiveArguments } from './directive-arguments.js';
import { DocumentFault } from './document-fault.js';
import { OWN_DIRECTIVES } from './operation-directives.js';

/**
 * Checks where our directives are used: `@max` on variables, `@attachment` on fields without a selection, all others on
 * the operation.
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
