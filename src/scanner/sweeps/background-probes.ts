/** Searches that go on while the next stage has begun: hosts that answer late are taken in as they come. */

export type Latecomers = {
  readonly add: (search: Promise<void>) => void
  /** Nobody is waited for any more. */
  readonly isOver: () => boolean
  readonly settle: () => Promise<void>
}

export const createLatecomers = (): Latecomers => {
  const searches = new Set<Promise<void>>()
  return {
    add: (search) => {
      const watched = search.finally(() => searches.delete(watched))
      searches.add(watched)
    },
    isOver: () => searches.size === 0,
    settle: async () => {
      await Promise.all(searches)
    },
  }
}
