/** Finds the processes of templates that this process has started. Linux only. */
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
const parentOf = (pid: string): number => Number(/^.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1])

/** A process that has ended and was not waited for has no command. */
export const isTemplateChild = (pid: number): boolean => read(`/proc/${pid}/cmdline`).includes('template-child')

/** Returns the ids of the processes of templates that this process has started. */
export const templateChildren = (): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === process.pid)
    .map(Number)
    .filter(isTemplateChild)
