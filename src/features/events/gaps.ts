/**
 * Where several writers number rows, a lower number may be committed after a higher one. A reader stops before a missing number
 * until every transaction that may have taken it has ended: then it is never to come.
 */
import type { UnderWay } from '../../platform/db/database.ts'

type Numbered = { readonly seq: number }

/** Whether a number is left out among the rows that follow one. */
export const isMissingOne = (rows: readonly Numbered[], after: number): boolean =>
  rows.some(({ seq }, at) => seq !== after + 1 + at)

export class Gaps {
  /** What is missing below `upTo` was taken before `until` began; not known before it has been asked for. */
  #noted: { readonly upTo: number; readonly until: bigint | undefined } | undefined

  /** Rows were seen, with something missing among them. */
  note(rows: readonly Numbered[]): void {
    const last = rows.at(-1)
    if (last) this.#noted ??= { upTo: last.seq, until: undefined }
  }

  /**
   * Those of the rows, in order, that nothing can come before any more. `underWay` was asked for before the rows were read, and
   * after what was noted; undefined where there is one writer.
   */
  settled<Row extends Numbered>(rows: readonly Row[], after: number, underWay: UnderWay | undefined): readonly Row[] {
    if (!underWay) return rows
    const noted = this.#noted && { ...this.#noted, until: this.#noted.until ?? underWay.next }
    const isForGood = (seq: number): boolean =>
      noted !== undefined && seq <= noted.upTo && underWay.oldest >= noted.until
    this.#noted = undefined
    let expected = after + 1
    for (const [at, { seq }] of rows.entries()) {
      if (seq !== expected && !isForGood(seq)) {
        if (noted && seq <= noted.upTo) this.#noted = noted
        else this.note(rows)
        return rows.slice(0, at)
      }
      expected = seq + 1
    }
    return rows
  }
}
