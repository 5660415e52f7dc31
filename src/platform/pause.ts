/** Lets the event loop turn once: long work in one transaction calls it between batches, so that reads go on being answered. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
