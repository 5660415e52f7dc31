/** Watches the resident memory of another process. */
import { readFileSync } from 'node:fs'

/** Memory of 1 GB/s at most is allocated between two readings of /proc. */
const PROC_MS = 25
/** A reading starts a process. */
const PS_MS = 250

const parseKibibytes = (text: string | undefined): number => Number(text ?? 0) * 1024

/** Reads /proc in kB. Pages have a size that depends on the machine. */
const readResidentOnLinux = (pid: number): number => {
  try {
    return parseKibibytes(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])
  } catch {
    // The process has ended.
    return 0
  }
}

const readResidentByPs = async (pid: number): Promise<number> => {
  try {
    const ps = Bun.spawn(['ps', '-o', 'rss=', '-p', String(pid)], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' })
    return parseKibibytes((await ps.stdout.text()).trim())
  } catch {
    // The machine has no `ps`: the limit of time remains.
    return 0
  }
}

export type MemoryWatch = { readonly limit: number; readonly onExcess: () => void }

/** Calls `onExcess` when the process has more than `limit` bytes in memory. @returns the function that stops watching */
export const watchMemory = (pid: number, { limit, onExcess }: MemoryWatch): (() => void) => {
  const isLinux = process.platform === 'linux'
  let isReading = false
  const read = async () => {
    if (isReading) return
    isReading = true
    const resident = isLinux ? readResidentOnLinux(pid) : await readResidentByPs(pid)
    isReading = false
    if (resident > limit) onExcess()
  }
  const timer = setInterval(read, isLinux ? PROC_MS : PS_MS)
  return () => clearInterval(timer)
}
