/** A way to find the living hosts of a network, in passes over its addresses. */

export type Pass = {
  /** 0 is the first. */
  readonly pass: number
  /** Place in the order where it begins. */
  readonly from: number
  /** Called as it goes on: what is before it has had its probe. */
  readonly onPlace: (place: number) => void
}

/** What a sweep is made with. */
export type SweepOptions = {
  /** Asked before every probe. */
  readonly isWanted: (index: number) => boolean
  readonly tries: number
}

export type Sweep = {
  /** Under which a later process finds it again. */
  readonly name: string
  /** How many there are; a getter may tell of more as it goes. */
  readonly passes: number
  readonly run: (pass: Pass) => Promise<void>
  /** After the last pass; until then an answer to an earlier one counts. */
  readonly close: () => void
}
