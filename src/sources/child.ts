/** The main of the process that fetches and converts one source: its output is a line for the outcome, then lines of rows. */
import { runJobChild } from '../base/jobs/bounded-job-child.ts'
import type { SourceJob } from './fetch/protocol.ts'

/** @returns the exit code */
export const runSourceChild = (): Promise<number> =>
  runJobChild('source-child', async (job, bytes) => {
    const [{ runSourceJob }, { writeOutcome }] = await Promise.all([
      import('./fetch/run-job.ts'),
      import('./fetch/outcome.ts'),
    ])
    // Both halves are one program.
    return writeOutcome(await runSourceJob(job as SourceJob, bytes))
  })
