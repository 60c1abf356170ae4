import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";

/** A text of one of an error's four lines as src has it; what is put into it at run time is `{}`. */
export interface ErrorText {
  /** `src/cli/confirm.ts:34` */
  readonly place: string;
  readonly line: "what" | "why" | "now" | "next";
  readonly text: string;
}

const LINES = ["what", "why", "now", "next"] as const;

/** Every text in src of an object that has all four lines; of a choice all its texts. */
export function errorTexts(): readonly ErrorText[] {
  const names = readdirSync("src", { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).flatMap((name) => textsOf(`src/${name}`));
}

function textsOf(path: string): readonly ErrorText[] {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const texts: ErrorText[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) texts.push(...textsIn(node, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

function textsIn(object: ts.ObjectLiteralExpression, source: ts.SourceFile): readonly ErrorText[] {
  const { line } = source.getLineAndCharacterOfPosition(object.getStart());
  const lines = new Map(
    object.properties.flatMap((property) =>
      ts.isPropertyAssignment(property) ? [[property.name.getText(), property.initializer] as const] : [],
    ),
  );
  // `now` and `next` alone are laid over an error's own two.
  const isError = lines.has("now") || (lines.has("what") && lines.has("next") && !lines.has("keys"));
  if (!isError) return [];
  return LINES.flatMap((name) => {
    const value = lines.get(name);
    const texts = value === undefined ? [] : choices(value);
    return texts.map((text) => ({ place: `${source.fileName}:${line + 1}`, line: name, text }));
  });
}

/** The texts that an expression can be. */
function choices(expression: ts.Expression): readonly string[] {
  if (ts.isStringLiteralLike(expression)) return [expression.text];
  if (ts.isTemplateExpression(expression)) {
    const spans = expression.templateSpans.map(({ literal }) => `{}${literal.text}`);
    return [`${expression.head.text}${spans.join("")}`];
  }
  if (ts.isConditionalExpression(expression))
    return [...choices(expression.whenTrue), ...choices(expression.whenFalse)];
  if (ts.isBinaryExpression(expression)) {
    return choices(expression.left).flatMap((left) =>
      choices(expression.right).map((right) => `${left}${right}`),
    );
  }
  return ["{}"];
}
