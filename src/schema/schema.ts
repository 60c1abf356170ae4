import { type Envelope, readEnvelope } from "../storage/envelope.js";
import { readableFormat } from "../storage/format.js";
import { spliceJson } from "../storage/json-splice.js";
import { splice } from "../storage/splice.js";
import { malformed, unsupported } from "../storage/unreadable.js";
import { type Cursor, cursorOver } from "../storage/wire.js";
import { messageJson } from "./api-json.js";
import { type Decoded, decodeMessage } from "./decode.js";
import { createLayouts, type Descriptor, type Layouts, type Message } from "./descriptor.js";
import { replacementFor } from "./encode.js";
import type { FieldEdit, FieldValue } from "./field-edit.js";
import { jsonField, jsonObject, jsonPath, jsonText } from "./json-object.js";
import type { Mask } from "./mask.js";
import { badPath } from "./path.js";
import { fieldAt, maskTo, stepsOf } from "./resolve.js";
import { createRoutes } from "./routes.js";

/** A stored object in the form in which the API shows it, apiVersion and kind included. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: { readonly [name: string]: FieldValue };
}

/** Reads and edits stored values, protobuf or JSON. Errors are `malformed-object`, `unsupported-format` and `usage`. */
export interface Schema {
  /**
   * Decodes a value. With a selection of field paths only what is under them is read (from protobuf; JSON is read
   * whole). Keep a selection's array: what is worked out for it is remembered by it.
   */
  decode(key: string, value: Uint8Array, selection?: readonly string[]): StoredObject;
  /** One field as it is stored, zero values included; undefined if it is not there (a list without elements never is). */
  readField(key: string, value: Uint8Array, path: string): FieldValue | undefined;
  /** The value with the fields' `new` in place of what is there. It does not compare with `old`: `readField` is for that. */
  edit(key: string, value: Uint8Array, edits: readonly FieldEdit[]): Uint8Array;
}

/** A schema for the kinds of a descriptor; JSON values may be of any kind. */
export function createSchema(descriptor: Descriptor): Schema {
  const layouts = createLayouts(descriptor);
  const routes = createRoutes();
  return {
    decode(key, value, selection) {
      if (readableFormat(key, value) === "json") {
        const object = jsonObject(key, value);
        const { apiVersion, kind } = object;
        return storedObject(key, apiVersion, kind, object);
      }
      const opened = open(layouts, key, value);
      const decoded = decodeRaw(opened, routes.mask(opened.message, selection));
      return storedObject(key, opened.apiVersion, opened.kind, messageJson(key, decoded));
    },
    readField(key, value, path) {
      if (readableFormat(key, value) === "json") return jsonField(key, value, path);
      const opened = open(layouts, key, value);
      const target = routes.target(opened.message, path);
      return fieldAt(key, decodeRaw(opened, maskTo(target)), target.places);
    },
    edit(key, value, edits) {
      const isJson = readableFormat(key, value) === "json";
      return edits.reduce((bytes, edit) => {
        if (edit.inner) throw badPath(edit.path, "a text inside a field is not edited yet");
        if (isJson) return editJson(key, bytes, edit);
        const target = routes.target(open(layouts, key, bytes).message, edit.path);
        return splice(key, bytes, stepsOf(target), replacementFor(target, edit.new));
      }, value);
    },
  };
}

/** A protobuf value whose envelope was read. */
interface Opened extends Envelope {
  readonly message: Message;
  readonly cursor: Cursor;
}

function open(layouts: Layouts, key: string, value: Uint8Array): Opened {
  const cursor = cursorOver(key, value);
  const envelope = readEnvelope(cursor);
  const message = layouts.ofKind(envelope.apiVersion, envelope.kind);
  if (message) return { ...envelope, message, cursor };
  const why = `the fields of ${envelope.apiVersion} ${envelope.kind} are not known`;
  throw unsupported(key, why, "use a version of etcdcidr that knows this kind");
}

function decodeRaw({ cursor, rawStart, rawEnd, message }: Opened, mask: Mask): Decoded {
  cursor.offset = rawStart;
  return decodeMessage(cursor, rawEnd, message, mask);
}

function storedObject(
  key: string,
  apiVersion: FieldValue | undefined,
  kind: FieldValue | undefined,
  fields: { readonly [name: string]: FieldValue },
): StoredObject {
  if (typeof apiVersion !== "string" || typeof kind !== "string" || kind === "") {
    throw malformed(key, 0, "the object names no kind");
  }
  return { apiVersion, kind, object: { kind, apiVersion, ...fields } };
}

function editJson(key: string, value: Uint8Array, edit: FieldEdit): Uint8Array {
  return spliceJson(key, value, jsonPath(edit.path), edit.new === undefined ? undefined : jsonText(edit.new));
}
