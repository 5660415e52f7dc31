/**
 * Asks the collector to run where a scan leaves much behind: left to itself, it lets 100 MB pile up first. Between two
 * transactions, when nothing of a batch is held any more.
 */

/** From so many devices on it is worth a look at what is young, which goes on beside everything else. */
const WORTH_IT = 100
/** What has lived through some of those is looked at once after so many: it takes 30 ms, in which nobody is answered. */
const ALL_AFTER = 10_000

export type Rubbish = { readonly leave: (devices: number) => void }

export const createRubbish = (): Rubbish => {
  let left = 0
  return {
    leave: (devices) => {
      left += devices
      const isMuch = left >= ALL_AFTER
      if (isMuch) left = 0
      if (isMuch || devices >= WORTH_IT) Bun.gc(isMuch)
    },
  }
}
