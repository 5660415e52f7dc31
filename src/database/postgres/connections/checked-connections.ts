/** Runs a check of the server before its connections are first used, and again after all of them were lost. */

export type CheckedConnections = {
  /** Called for each connection that has been opened. */
  readonly opened: () => void
  /** Called for each connection that has been closed or could not be opened. */
  readonly lost: () => void
  /** Runs `work` when the server has passed the check; without delay if it has. @throws the error of the check */
  readonly whenChecked: <T>(work: () => Promise<T>) => Promise<T>
}

export const createCheckedConnections = (check: () => Promise<void>): CheckedConnections => {
  let open = 0
  /** Changes when all connections were lost. */
  let generation = 1
  let checked = 0
  let running: Promise<void> | undefined
  const run = async (): Promise<void> => {
    const of = generation
    await check()
    checked = of
  }
  const afterCheck = async <T>(work: () => Promise<T>): Promise<T> => {
    running ??= run().finally(() => {
      running = undefined
    })
    await running
    return work()
  }
  return {
    opened: () => {
      open += 1
    },
    lost: () => {
      // One that could not be opened is counted as lost, which causes a check more at most.
      open = Math.max(0, open - 1)
      if (open === 0) generation += 1
    },
    whenChecked: (work) => (checked === generation ? work() : afterCheck(work)),
  }
}
