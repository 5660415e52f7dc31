/** The snapshot of a NetBox: its answers in the order in which they were asked, so that they are read again in that order. */
import { z } from 'zod'

export const Snapshot = z.object({ pages: z.array(z.object({ status: z.int(), text: z.string() })).min(1) })
export type Snapshot = z.output<typeof Snapshot>
