/**
 * How far a change has come. The same names stand in journals, in the records in etcd, in what is printed and in the README.
 */
export type ChangeState =
  /** Nothing of it is in etcd. */
  | "not-written"
  /** Some of its Nodes are written, and it is known which. */
  | "part-applied"
  /** What was sent last may or may not be in etcd; reading settles it. */
  | "in-doubt"
  | "done"
  /** All is written, and it was not as the plan meant, or could not be read back. */
  | "not-verified"
  /** A rollback has given it back, or has found nothing of it left. */
  | "undone";
