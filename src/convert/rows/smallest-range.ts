/** Finds the smallest range that holds each address, in one pass over both in order. */
import type { Ip } from '../../net/ip.ts'

export type Range<T> = { readonly first: Ip; readonly last: Ip; readonly item: T }

/** A binary heap, smallest first. */
class Heap<T> {
  readonly #items: T[] = []
  readonly #isBefore: (a: T, b: T) => boolean

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get top(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    let at = this.#items.push(item) - 1
    while (at > 0) {
      const up = (at - 1) >> 1
      const parent = this.#items[up] as T // inside the heap
      if (!this.#isBefore(item, parent)) break
      this.#items[at] = parent
      at = up
    }
    this.#items[at] = item
  }

  pop(): void {
    const last = this.#items.pop()
    if (last === undefined || this.#items.length === 0) return
    let at = 0
    for (;;) {
      let down = 2 * at + 1
      if (down >= this.#items.length) break
      const right = this.#items[down + 1]
      if (right !== undefined && this.#isBefore(right, this.#items[down] as T)) down++
      const child = this.#items[down] as T // inside the heap
      if (!this.#isBefore(child, last)) break
      this.#items[at] = child
      at = down
    }
    this.#items[at] = last
  }
}

const computeSize = ({ first, last }: Range<unknown>): bigint => last.value - first.value

/**
 * Returns the item of the smallest range that holds each address, by address; of equal ranges the first.
 *
 * @param ranges of one family, as the addresses
 */
export const findSmallestRanges = <T>(ranges: readonly Range<T>[], addresses: readonly bigint[]): Map<bigint, T> => {
  const byStart = ranges
    .map((range, order) => ({ range, order }))
    .sort((a, b) =>
      a.range.first.value < b.range.first.value ? -1 : a.range.first.value > b.range.first.value ? 1 : 0,
    )
  const open = new Heap<(typeof byStart)[number]>((a, b) => {
    const [left, right] = [computeSize(a.range), computeSize(b.range)]
    return left === right ? a.order < b.order : left < right
  })
  const found = new Map<bigint, T>()
  let next = 0
  for (const address of addresses.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))) {
    for (let start = byStart[next]; start && start.range.first.value <= address; start = byStart[++next])
      open.push(start)
    while (open.top && open.top.range.last.value < address) open.pop()
    if (open.top) found.set(address, open.top.range.item)
  }
  return found
}
