/** The main of a process that reads one untrusted text. Its output is a line of JSON for each value. */

import { runJobChild } from '../../base/jobs/bounded-job-child.ts'
import { TEXT_ENCODING } from '../../base/jobs/bounded-job-protocol.ts'

/** Reads a text. @returns its content. @throws AppError */
export type ReadValues = (text: string, job: unknown) => Promise<Iterable<object>>

function* toLines(values: Iterable<object>): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const value of values) yield encoder.encode(`${JSON.stringify(value)}\n`)
}

/** @returns the exit code */
export const runTextChild = (command: string, read: ReadValues): Promise<number> =>
  runJobChild(command, async (job, { buffer, byteOffset, byteLength }) =>
    toLines(await read(Buffer.from(buffer, byteOffset, byteLength).toString(TEXT_ENCODING), job)),
  )
