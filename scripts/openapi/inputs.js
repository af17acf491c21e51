import ts from 'typescript';

/** Functions that lead from a handler to what validates its input. */
const DEPTH_MAX = 6;

/**
 * What a handler validates: the classes that it, or a function that it hands unread input to, gives to `validate`
 * (`src/errors/validate.ts`).
 * @returns `bodies` and `others` (query and path), as types; whether the body `mayBeMissing`; whether it is `csv`
 */
export function inputsOf(handler, checker) {
  const inputs = { bodies: [], others: [], mayBeMissing: false, csv: false };
  follow(handler, checker, inputs, DEPTH_MAX);
  return inputs;
}

function follow(node, checker, inputs, depth) {
  const visit = (child) => {
    if (ts.isCallExpression(child)) readCall(child, checker, inputs, depth);
    ts.forEachChild(child, visit);
  };
  visit(node);
}

function readCall(call, checker, inputs, depth) {
  const name = call.expression.getText();
  if (name === 'validate') return addShape(call, checker, inputs);
  if (name === 'readCsvBody') inputs.csv = true;
  if (depth === 0 || !call.arguments.some((one) => isUnread(checker.getTypeAtLocation(one), checker))) return;
  const declaration = checker.getResolvedSignature(call)?.declaration;
  if (declaration?.body && !declaration.getSourceFile().isDeclarationFile) {
    follow(declaration.body, checker, inputs, depth - 1);
  }
}

function addShape(call, checker, inputs) {
  const [shape, input] = call.arguments;
  const type = checker.getDeclaredTypeOfSymbol(checker.getSymbolAtLocation(shape));
  if (shape.text.endsWith('Body')) {
    inputs.bodies.push(type);
    inputs.mayBeMissing ||= input.getText().includes('parseOptionalJsonObject');
  } else {
    inputs.others.push(type);
  }
}

/** True for input as it came: nothing is known of its type but that it may be an object. */
function isUnread(type, checker) {
  return (
    Boolean(type.flags & ts.TypeFlags.Unknown) ||
    /^(Record<string, unknown>|Texts?)$/.test(checker.typeToString(type))
  );
}
