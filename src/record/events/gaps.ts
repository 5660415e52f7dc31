/** A lower number may be committed later if there are several writers: readers wait while that can happen. */
import type { UnderWay } from '../../database/database.ts'

type Numbered = { readonly seq: number }

/** Checks the rows after a number for a missing number. */
export const isMissingOne = (rows: readonly Numbered[], after: number): boolean =>
  rows.some(({ seq }, at) => seq !== after + 1 + at)

export class Gaps {
  /** Numbers missing below `upTo` were taken by transactions that began before `until`. */
  #noted: { readonly upTo: number; readonly until: bigint | undefined } | undefined

  /** Records that rows were read with a gap among them. */
  note(rows: readonly Numbered[]): void {
    const last = rows.at(-1)
    if (last) this.#noted ??= { upTo: last.seq, until: undefined }
  }

  /**
   * Returns the rows, in order, before which no row can appear any more. `underWay` must be queried after the gap was
   * noted and before the rows were read; undefined with one writer.
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
