/** A value as API JSON shows it; int64 beyond 2^53 is a bigint. */
export type FieldValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly FieldValue[]
  | { readonly [name: string]: FieldValue };

/**
 * One field of a stored object, before and after. A missing `old` or `new` means that the field is not there,
 * which is not the same as an explicit empty string on the wire.
 */
export interface FieldEdit {
  /** Path in the kind, as the API names it: `spec.podCIDRs`. */
  readonly path: string;
  /** Set where the field holds a text of its own, a ConfigMap's YAML for example. */
  readonly inner?: { readonly syntax: "yaml" | "json"; readonly pointer: string };
  readonly old?: FieldValue;
  readonly new?: FieldValue;
}
