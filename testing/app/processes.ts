/** Finds and signals the processes of servers. Needs /proc. */
import { readdirSync, readFileSync } from 'node:fs'

export const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statusOf(pid)?.parent === parent)

/** Returns the state and the parent of a process. The name before them may hold anything, but is the last in brackets. */
const statusOf = (pid: number): { readonly state: string; readonly parent: number } | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}

/** A process that waits for its parent to notice its end does not run. */
export const isRunning = (pid: number): boolean => (statusOf(pid)?.state ?? 'Z') !== 'Z'

/** Sends a signal to all of these that still run. */
export const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch (error) {
      // It has ended by itself.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}
