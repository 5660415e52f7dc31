/** Counts the snapshots that streams hold open, and blocks new ones while SQLite's log is reset. */

export type Snapshots = {
  /** Adds a snapshot, once new ones are permitted. */
  readonly enter: () => Promise<void>
  readonly leave: () => void
  readonly open: () => number
  /** From now on `enter` waits. */
  readonly shut: () => void
  readonly reopen: () => void
  /** Resolves with true if none is open, or with false after `ms`. */
  readonly emptied: (ms: number) => Promise<boolean>
}

export const createSnapshots = (): Snapshots => {
  let count = 0
  let gate: PromiseWithResolvers<void> | undefined
  let whenEmpty: (() => void) | undefined

  return {
    enter: async () => {
      while (gate) await gate.promise
      count++
    },
    leave: () => {
      count--
      if (count === 0) whenEmpty?.()
    },
    open: () => count,
    shut: () => {
      gate ??= Promise.withResolvers<void>()
    },
    reopen: () => {
      gate?.resolve()
      gate = undefined
    },
    emptied: (ms) => {
      if (count === 0) return Promise.resolve(true)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => resolve(false), ms)
      timer.unref()
      whenEmpty = () => resolve(true)
      return promise.finally(() => {
        clearTimeout(timer)
        whenEmpty = undefined
      })
    },
  }
}
