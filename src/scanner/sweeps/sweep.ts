/** A way to find the living hosts of a network, in passes over its addresses. */

export type Pass = {
  /** 0 is the first. */
  readonly pass: number
  /** Place in the order where it begins. */
  readonly from: number
  /** Called with the position; addresses before it were probed. */
  readonly onPlace: (place: number) => void
}

/** Options of a sweep. */
export type SweepOptions = {
  /** Asked before every probe. */
  readonly isWanted: (index: number) => boolean
  readonly tries: number
}

export type Sweep = {
  /** Under which a later process finds it again. */
  readonly name: string
  /** Number of passes; a getter may raise it while the sweep runs. */
  readonly passes: number
  readonly run: (pass: Pass) => Promise<void>
  /** After the last pass; until then an answer to an earlier one counts. */
  readonly close: () => void
}
