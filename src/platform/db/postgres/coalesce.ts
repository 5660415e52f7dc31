/** One answer for all who ask the same while another answer is on its way. */

/**
 * @param run what is asked
 * @returns resolves to the outcome of a run that began after the call, as others who asked meanwhile get it too
 */
export const sharing = <T>(run: () => Promise<T>): (() => Promise<T>) => {
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
