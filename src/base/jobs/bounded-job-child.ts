/** The main of a process that runs one job on untrusted bytes. The other half is `bounded-job.ts`. */

import { invalidField, toAppError, toErrorBody } from '../../contract/errors.ts'
import { beginChild, refusePerson, writeOutput } from '../child/child.ts'
import { StandardInput } from '../child/standard-input.ts'
import { JOB_EXIT, type JobFailure, type JobLine } from './bounded-job-protocol.ts'

/** Runs a job. @returns its output. @throws AppError */
export type RunJob = (job: unknown, bytes: Uint8Array) => Promise<Iterable<Uint8Array>>

const describeFailure = (thrown: unknown, field: string): JobFailure => {
  // The engine refuses a text of 2^31 characters, an array that is too long, and a recursion that is too deep.
  const error = thrown instanceof RangeError ? invalidField(field, 'is too large, or nested too deep') : thrown
  const body = toErrorBody(toAppError(error))
  const cause = body.code === 'INTERNAL_ERROR' ? String(error instanceof Error ? error.stack : error) : ''
  return { error: body, cause }
}

/** Reads the job and its bytes from the standard input, and writes the output. @returns the exit code */
export const runJobChild = async (command: string, run: RunJob): Promise<number> => {
  beginChild()
  const input = new StandardInput()
  // Both halves are one program: the first line is a `JobLine`.
  const line = (process.stdin.isTTY ? undefined : await input.readLine()) as JobLine | undefined
  if (line === undefined) return refusePerson(command)
  const bytes = await input.readBytes(line.length)
  if (bytes === undefined) return JOB_EXIT.cut
  let output: Iterable<Uint8Array>
  try {
    output = await run(line.job, bytes)
  } catch (error) {
    await writeOutput([new TextEncoder().encode(JSON.stringify(describeFailure(error, line.field)))])
    return JOB_EXIT.failed
  }
  await writeOutput(output)
  return JOB_EXIT.done
}
