import { EtcdcidrError, NOTHING_BY_THIS_RUN, NOTHING_WRITTEN } from "../errors.js";

/** For commands about a change that may be written in part: what fails before they write says so of this run alone. */
export async function ofThisRun<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EtcdcidrError) || error.explanation.now !== NOTHING_WRITTEN) throw error;
    throw new EtcdcidrError(error.code, { ...error.explanation, now: NOTHING_BY_THIS_RUN }, { cause: error });
  }
}
