/** Finds the processes that this process has started, by their commands. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // The process has ended.
    return ''
  }
}

/** Field 4 of proc_pid_stat(5); the name in field 2 may have blanks and parentheses. */
const readParent = (pid: string): number => Number(/^.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1])

/** Tells if a process runs a command. A process that has ended and was not waited for has no command. */
export const runsCommand = (pid: number, command: string): boolean =>
  read(`/proc/${pid}/cmdline`).split('\0').includes(command)

/** Returns the ids of the processes of a command that this process has started. */
export const findChildren = (command: string): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && readParent(pid) === process.pid)
    .map(Number)
    .filter((pid) => runsCommand(pid, command))
