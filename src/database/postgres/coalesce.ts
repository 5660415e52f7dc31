/** Coalesces concurrent calls of a function. */

/** Calls during a run share the next run. @returns the result of a run that began after the call */
export const coalesce = <T>(run: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  const begin = (): Promise<T> => {
    next = undefined
    const begun = run()
    running = begun
    return begun
  }
  return () => {
    next ??= running.then(begin, begin)
    return next
  }
}
