/** What `proto/kubernetes.json` holds: field layouts as `scripts/generate-schema.mjs` writes them. */
export interface Descriptor {
  readonly releases: readonly string[];
  /** Message of each stored kind, by `apiVersion/Kind`: `v1/Node` is `core.v1.Node`. */
  readonly kinds: Readonly<Record<string, string>>;
  /** Fields of each message, by package and name, in the form that `parseMessage` reads. */
  readonly messages: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * Kind of a field's value: s string, b bool, i int32, l int64, y bytes, m message; T Time, M MicroTime,
 * Q Quantity, I IntOrString, R RawExtension, F FieldsV1.
 */
export type FieldKind = "s" | "b" | "i" | "l" | "y" | "m" | "T" | "M" | "Q" | "I" | "R" | "F";

export interface Field {
  readonly number: number;
  /** JSON name; empty where the struct is inline and its fields lie flat in the parent. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly shape: "single" | "list" | "map";
  readonly isPointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  /** Whether newer releases have dropped the field. */
  readonly isGone: boolean;
  /** Place among the message's fields, which is the order of the JSON. */
  readonly index: number;
  /** The message of kind m, and the layout of the special kinds. */
  readonly message: Message | undefined;
}

/** A message; its fields are parsed when first asked for. */
export interface Message {
  readonly name: string;
  /** Whether Go has a named slice here, shown as a bare list. */
  readonly isList: boolean;
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
}

/** The layouts of a descriptor, by message name. */
export interface Layouts {
  ofKind(apiVersion: string, kind: string): Message | undefined;
}

/** Layouts of the special kinds, which the API's Go code marshals by hand (apimachinery, generated.proto). */
const SPECIALS: Readonly<Partial<Record<FieldKind, string>>> = {
  T: "seconds 1l,nanos 2i",
  M: "seconds 1l,nanos 2i",
  Q: "string 1s",
  I: "type 1l,intVal 2i,strVal 3s",
  R: "raw 1y",
  F: "raw 1y",
};

const FIELD = /^(\S*) (\d+)([a-zA-Z])([*%])?(\?)?(-)?(0)?(>)?(?:\+\d+)?(!\d+)?(?: (\S+))?$/;

/** Reads a descriptor lazily: a message costs nothing until a value has it. */
export function createLayouts(descriptor: Descriptor): Layouts {
  const known = new Map<string, Message>();
  const messageOf = (name: string): Message => {
    const made = known.get(name) ?? parseMessage(name, textOf(descriptor, name), messageOf);
    known.set(name, made);
    return made;
  };
  return {
    ofKind(apiVersion, kind) {
      const name = descriptor.kinds[`${apiVersion}/${kind}`];
      return name === undefined ? undefined : messageOf(name);
    },
  };
}

function textOf(descriptor: Descriptor, name: string): string {
  const dot = name.lastIndexOf(".");
  const text = descriptor.messages[name.slice(0, dot)]?.[name.slice(dot + 1)];
  if (text === undefined) throw new RangeError(`the descriptor has no message ${name}`);
  return text;
}

function parseMessage(name: string, text: string, messageOf: (name: string) => Message): Message {
  const isList = text.startsWith("[]");
  const packageName = name.slice(0, name.lastIndexOf(".") + 1);
  const parts = text
    .slice(isList ? 2 : 0)
    .split(",")
    .filter((part) => part !== "");
  let fields: readonly Field[] | undefined;
  let byNumber: ReadonlyMap<number, Field> | undefined;
  return {
    name,
    isList,
    get fields() {
      fields ??= parts.map((part, index) => parseField(part, index, packageName, messageOf));
      return fields;
    },
    get byNumber() {
      byNumber ??= new Map(this.fields.map((field) => [field.number, field]));
      return byNumber;
    },
  };
}

function parseField(
  part: string,
  index: number,
  packageName: string,
  messageOf: (name: string) => Message,
): Field {
  const match = FIELD.exec(part);
  if (!match) throw new RangeError(`no field of a descriptor: ${part}`);
  const [, name = "", number = "", kind = "", shape, pointer, omitEmpty, omitZero, , gone, type] = match;
  const special = SPECIALS[kind as FieldKind];
  return {
    number: Number(number),
    name,
    kind: kind as FieldKind,
    shape: shape === "*" ? "list" : shape === "%" ? "map" : "single",
    isPointer: pointer !== undefined,
    omitEmpty: omitEmpty !== undefined,
    omitZero: omitZero !== undefined,
    isGone: gone !== undefined,
    index,
    message:
      special !== undefined
        ? parseMessage(kind, special, messageOf)
        : type === undefined
          ? undefined
          : messageOf(type.includes(".") ? type : packageName + type),
  };
}
