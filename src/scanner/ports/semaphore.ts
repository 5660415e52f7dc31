/** Limits how many tasks run at a time; the others wait in order of arrival (a counting semaphore). */
export type Semaphore = <T>(run: () => Promise<T>) => Promise<T>

export const createSemaphore = (most: number): Semaphore => {
  let active = 0
  const waiting: (() => void)[] = []
  return async (run) => {
    if (active >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else active++
    try {
      return await run()
    } finally {
      // Passes its permit to the next task, or returns it.
      const next = waiting.shift()
      if (next) next()
      else active--
    }
  }
}
