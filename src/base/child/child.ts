/** The first steps of a process that the server has started for data from strangers, and its output. */
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { endWithParent } from './parent-death.ts'

/** Below the server, which answers people. */
const NICENESS = 10

/** The exit code of a command that a person has started. */
const MISUSE = 2

/** Makes the system prefer the server, and if memory runs out end this process. */
const yieldToServer = (): void => {
  try {
    setPriority(NICENESS)
    if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // A process that lacks the permission runs like the server.
  }
}

/** Ends this process with the server, and gives the server precedence. */
export const beginChild = (): void => {
  // Dates are in UTC on every machine.
  process.env.TZ = 'UTC'
  endWithParent()
  yieldToServer()
}

/** Tells a person that the command is not for people. @returns the exit code */
export const refusePerson = (command: string): number => {
  process.stderr.write(`plat: ${command} is started by the server, not by hand\n`)
  return MISUSE
}

/** Writes the whole output. */
export const writeOutput = async (pieces: Iterable<Uint8Array>): Promise<void> => {
  const sink = Bun.stdout.writer()
  for (const piece of pieces) {
    sink.write(piece)
    await sink.flush()
  }
  await sink.end()
}
