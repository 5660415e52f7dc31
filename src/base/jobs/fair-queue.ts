/** A bounded queue with fair turns between kinds, networks and clients. Independent of time and workers. */

/** The position of a job in the queue. */
export type Turn = {
  /** Turns alternate between the lanes, so that a full common lane does not delay the other. */
  readonly lane: 'known' | 'common'
  /** The client network of an address; an account is its own group. The groups of a lane take turns. */
  readonly group: string
  /** An address or an account. One job of a key runs at a time; the keys of a group take turns. */
  readonly key: string
}

export type FairQueue<Item extends { readonly turn: Turn }> = {
  readonly add: (item: Item) => void
  /** Takes the next item out of the queue. Its key is busy until `done`. */
  readonly next: () => Item | undefined
  readonly done: (turn: Turn) => void
  readonly remove: (item: Item) => void
  /** Removes the newest item of the busiest client in the longest group, if a lane is too long. */
  readonly overflow: () => Item | undefined
  readonly clear: () => Item[]
  /** The number of waiting items. */
  readonly size: () => number
}

/** Maximum number of groups and keys per lane with a stored last turn: about 1 MB. */
const MAX_SERVED = 10_000

type Keys<Item> = Map<string, Item[]>

/**
 * Serves the least recently served group first, and within it the least recently served key. While all of them wait
 * this is round robin. A new client comes before clients that keep returning; plain round robin would put it behind all
 * of them.
 */
class Lane<Item extends { readonly turn: Turn }> {
  readonly #groups = new Map<string, Keys<Item>>()
  readonly #busy = new Set<string>()
  /** The number of the last turn, oldest first. */
  readonly #served = new Map<string, number>()
  #turns = 0
  size = 0

  add(item: Item): void {
    const { group, key } = item.turn
    const keys: Keys<Item> = this.#groups.get(group) ?? new Map()
    this.#groups.set(group, keys)
    const items = keys.get(key)
    if (items) items.push(item)
    else keys.set(key, [item])
    this.size++
  }

  next(): Item | undefined {
    const waiting = [...this.#groups].flatMap(([group, keys]) => {
      const key = this.#leastRecent([...keys.keys()].filter((one) => !this.#busy.has(one)))
      return key === undefined ? [] : [{ group, key }]
    })
    const group = this.#leastRecent(waiting.map((one) => one.group))
    const key = waiting.find((one) => one.group === group)?.key
    if (group === undefined || key === undefined) return undefined
    const item = this.#groups.get(group)?.get(key)?.[0]
    if (!item) return undefined
    this.remove(item)
    this.#busy.add(key)
    this.#turns++
    this.#note(group)
    this.#note(key)
    return item
  }

  done({ key }: Turn): void {
    this.#busy.delete(key)
  }

  remove(item: Item): void {
    const { group, key } = item.turn
    const keys = this.#groups.get(group)
    const items = keys?.get(key)
    const at = items?.indexOf(item) ?? -1
    if (!keys || !items || at === -1) return
    items.splice(at, 1)
    this.size--
    if (items.length === 0) keys.delete(key)
    if (keys.size === 0) this.#groups.delete(group)
  }

  /** Removes the newest item of the longest queue. */
  shorten(): Item | undefined {
    const longest = this.#longest([...this.#groups], (keys) => [...keys.values()].flat().length)
    const items = longest && this.#longest([...longest], ({ length }) => length)
    const item = items?.at(-1)
    if (item) this.remove(item)
    return item
  }

  items(): Item[] {
    return [...this.#groups.values()].flatMap((keys) => [...keys.values()].flat())
  }

  /** Returns the least recently served name; of several, the first. */
  #leastRecent(names: readonly string[]): string | undefined {
    const getTurn = (name: string) => this.#served.get(name) ?? 0
    return names.reduce<string | undefined>(
      (best, name) => (best === undefined || getTurn(name) < getTurn(best) ? name : best),
      undefined,
    )
  }

  /** Returns the longest queue; of equally long ones the most recently served, then the newest. */
  #longest<Queue>(queues: readonly (readonly [string, Queue])[], length: (queue: Queue) => number): Queue | undefined {
    const rank = ([name, queue]: readonly [string, Queue]) => [length(queue), this.#served.get(name) ?? 0] as const
    let best: readonly [string, Queue] | undefined
    for (const one of queues) {
      const [size, turn] = rank(one)
      const [bestSize, bestTurn] = best ? rank(best) : [0, 0]
      if (!best || size > bestSize || (size === bestSize && turn >= bestTurn)) best = one
    }
    return best?.[1]
  }

  #note(name: string): void {
    this.#served.delete(name)
    this.#served.set(name, this.#turns)
    if (this.#served.size <= MAX_SERVED) return
    for (const oldest of this.#served.keys()) {
      this.#served.delete(oldest)
      return
    }
  }
}

/** @param limit maximum number of items that wait in each lane */
export const createFairQueue = <Item extends { readonly turn: Turn }>(limit: number): FairQueue<Item> => {
  const lanes = { known: new Lane<Item>(), common: new Lane<Item>() }
  const both = [lanes.known, lanes.common] as const
  let [first, second]: readonly [Lane<Item>, Lane<Item>] = both

  return {
    add: (item) => lanes[item.turn.lane].add(item),
    next: () => {
      const item = first.next()
      if (!item) return second.next()
      // The other lane gets the next turn.
      const served = first
      first = second
      second = served
      return item
    },
    done: (turn) => lanes[turn.lane].done(turn),
    remove: (item) => lanes[item.turn.lane].remove(item),
    overflow: () => both.find(({ size }) => size > limit)?.shorten(),
    clear: () => {
      const items = both.flatMap((lane) => lane.items())
      for (const item of items) lanes[item.turn.lane].remove(item)
      return items
    },
    size: () => lanes.known.size + lanes.common.size,
  }
}
