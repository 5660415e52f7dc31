/**
 * Where several writers number rows, a lower number may be committed after a higher one. A reader stops before a missing number
 * until every transaction that was under way when it was missed has ended: then it is never to come.
 */
import type { UnderWay } from '../../platform/db/database.ts'

type Numbered = { readonly seq: number }

export class Gaps {
  #missing: { readonly seq: number; readonly until: bigint } | undefined

  /**
   * Those of the rows, in order, that nothing can come before any more. `underWay` was asked for before the rows were read;
   * undefined where there is one writer.
   */
  settled<Row extends Numbered>(rows: readonly Row[], after: number, underWay: UnderWay | undefined): readonly Row[] {
    if (!underWay) return rows
    let expected = after + 1
    for (const [at, { seq }] of rows.entries()) {
      if (seq !== expected && !this.#isForGood(expected, underWay)) return rows.slice(0, at)
      expected = seq + 1
    }
    this.#missing = undefined
    return rows
  }

  #isForGood(seq: number, { oldest, next }: UnderWay): boolean {
    if (this.#missing?.seq !== seq) this.#missing = { seq, until: next }
    return oldest >= this.#missing.until
  }
}
