import ts from "typescript";

/** One import of a source file, in whatever form it is written. */
export interface Import {
  /** What is imported, as written; undefined where it is computed and nobody can know. */
  readonly specifier: string | undefined;
  /** `type` leaves no trace in the compiled file; `import { type A }` does, it still loads the module. */
  readonly form: "static" | "type" | "dynamic";
}

/** Every import of a file: static, type-only, dynamic, re-exports and `import("x").T`, in order. */
export function importsOf(path: string, text: string): readonly Import[] {
  return nodesOf(path, text).flatMap(importIn);
}

/** Whether a file has an `async`, an `await` or a `Math.random` anywhere. */
export function isImpure(path: string, text: string): boolean {
  return nodesOf(path, text).some(
    (node) =>
      node.kind === ts.SyntaxKind.AsyncKeyword ||
      node.kind === ts.SyntaxKind.AwaitKeyword ||
      node.kind === ts.SyntaxKind.AwaitExpression ||
      (ts.isPropertyAccessExpression(node) && node.name.text === "random"),
  );
}

function nodesOf(path: string, text: string): readonly ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ES2023));
  return nodes;
}

function importIn(node: ts.Node): readonly Import[] {
  if (ts.isImportDeclaration(node)) {
    return [
      { specifier: textOf(node.moduleSpecifier), form: node.importClause?.isTypeOnly ? "type" : "static" },
    ];
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return [{ specifier: textOf(node.moduleSpecifier), form: node.isTypeOnly ? "type" : "static" }];
  }
  if (ts.isImportTypeNode(node)) {
    const argument = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument;
    return [{ specifier: textOf(argument), form: "type" }];
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return [{ specifier: textOf(node.arguments[0]), form: "dynamic" }];
  }
  return [];
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}
