/** Waits for concurrent work of one transaction. */

/**
 * Waits for all of them, also after a failure: work that goes on would write into a transaction that has ended.
 * @throws the first error, in their order
 */
export const waitForAll = async (work: readonly (Promise<unknown> | undefined)[]): Promise<void> => {
  for (const outcome of await Promise.allSettled(work)) if (outcome.status === 'rejected') throw outcome.reason
}
