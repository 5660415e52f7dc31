/** No more than so many at one time; the rest waits its turn. */
export type Gate = <T>(run: () => Promise<T>) => Promise<T>

export const createGate = (most: number): Gate => {
  let active = 0
  const waiting: (() => void)[] = []
  return async (run) => {
    if (active >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else active++
    try {
      return await run()
    } finally {
      // The place goes to the next in line, or becomes free.
      const next = waiting.shift()
      if (next) next()
      else active--
    }
  }
}
