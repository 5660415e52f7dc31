/** Reads leases. A large text is read in a process with bounds: some texts of 16 MB take 10 s and 2 GB. */
import type { Bounds } from '../../base/child/bounds.ts'
import { createTextReader, type From } from '../../kernel/jobs/text-job.ts'
import type { LeasesJob } from './child.ts'
import { type ActiveLease, type LeasesRead, readLeases } from './read.ts'

/** The longest text that is read without a process, in UTF-16 units. It takes less than 30 ms. */
const SMALL_LENGTH = 16_384
/** A text of 16 MB with 100,000 leases takes 2 s, and more on a busy machine. */
const BOUNDS: Bounds = { ms: 60_000, memoryBytes: 512 * 2 ** 20, outputBytes: 64 * 2 ** 20 }
/** Many DHCP servers may send their leases at the same minute. */
const MAX_WAITING = 64

type Counted = Omit<LeasesRead, 'active'>

/**
 * Reads the leases of a text.
 * @throws AppError as `readLeases`; VALIDATION_ERROR on `text` at a bound of the process; UNAVAILABLE when too many wait
 */
export type ReadLeases = (text: string, job: LeasesJob, from: From) => Promise<LeasesRead>

/** @param dir the folder of temporary files. @param given other bounds than the usual ones */
export const createLeaseReader = (dir: string, given: Partial<Bounds> = {}): ReadLeases => {
  const bounds = { ...BOUNDS, ...given }
  const read = createTextReader<Counted | ActiveLease>({
    command: 'leases-child',
    bounds,
    field: 'text',
    dir,
    waiting: MAX_WAITING,
  })
  return async (text, job, from) => {
    if (text.length <= SMALL_LENGTH) return readLeases(text, job.format, job.now)
    // The child writes them in this order.
    const [counted, ...active] = (await read(text, job, from)) as [Counted, ...ActiveLease[]]
    return { ...counted, active }
  }
}
