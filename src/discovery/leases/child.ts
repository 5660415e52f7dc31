/** The main of the process that reads the leases of a large text: first what is counted, then each lease that is active. */
import { runTextChild } from '../../kernel/jobs/text-job-child.ts'
import type { LeaseFormatName } from './leases-api.ts'
import { readLeases } from './read.ts'

export type LeasesJob = { readonly format: LeaseFormatName; readonly now: string }

/** @returns the exit code */
export const runLeasesChild = (): Promise<number> =>
  runTextChild('leases-child', async (text, job) => {
    // Both halves are one program.
    const { format, now } = job as LeasesJob
    const { active, ...counted } = await readLeases(text, format, now)
    return [counted, ...active]
  })
