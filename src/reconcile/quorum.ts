/** Counts of a cluster's voting members; learners never count. */
export interface Quorum {
  readonly voters: number;
  readonly live: number;
  /** How many must be live for a write. */
  readonly needed: number;
  /** How many more may fail; negative when the quorum is lost. */
  readonly spare: number;
}

export function quorumOf(voters: number, live: number): Quorum {
  const needed = Math.floor(voters / 2) + 1;
  return { voters, live, needed, spare: live - needed };
}
