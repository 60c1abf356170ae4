/** The library: reading and editing stored objects, CIDR arithmetic, and planning. */
export type { Address, Cidr, Family } from "./cidr/cidr.js";
export { formatAddress, formatCidr } from "./cidr/format.js";
export { parseAddress, parseCidr, parseCidrList } from "./cidr/parse.js";
export { type ErrorCode, EtcdcidrError, type Explanation } from "./errors.js";
export { planChangePodCidr } from "./plan/change-pod-cidr.js";
export type { ChangePodCidrIntent, Intent, RollbackIntent } from "./plan/intent.js";
export type { Change, Finding, Plan, Stage } from "./plan/plan.js";
export type { ReadSet } from "./plan/read-set.js";
export type { Descriptor } from "./schema/descriptor.js";
export type { FieldEdit, FieldValue } from "./schema/field-edit.js";
export { createSchema, type Schema, type StoredObject } from "./schema/schema.js";
