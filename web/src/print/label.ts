/** What a label says about an object. */

export type Label = {
  readonly name: string
  /** Its address, or its ends. */
  readonly line: string
  /** Where it is: datacenter, rack and units. */
  readonly place: string
  /** The path of its page, which the code leads to. */
  readonly path: string
}

/** Joins the parts of a line that have a text. */
export const joinParts = (...parts: readonly (string | undefined | null | false)[]): string =>
  parts.filter((part) => part).join(' · ')
