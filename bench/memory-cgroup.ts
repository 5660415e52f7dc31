/** Starts processes in a memory cgroup (cgroups(7), version 1 or 2), as a container with a limit does. Needs root. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const VERSION_1 = '/sys/fs/cgroup/memory'
const VERSION_2 = '/sys/fs/cgroup'

export type MemoryCgroup = {
  /** Runs `start` with its new processes in the cgroup. */
  readonly within: <T>(start: () => Promise<T>) => Promise<T>
  /** The most memory that its processes have held together, page cache included, in bytes. */
  readonly peak: () => number
  /** The number of processes that the system has ended because memory ran out. */
  readonly kills: () => number
  readonly remove: () => void
}

const readNumber = (path: string, name?: string): number => {
  const text = readFileSync(path, 'utf8')
  return Number(name === undefined ? text : (new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0))
}

/** Returns the folder of this process, to which it goes back. */
const findOwn = (isFirst: boolean): string => {
  const line = isFirst ? /^\d+:memory:(.*)$/m : /^0::(.*)$/m
  return join(isFirst ? VERSION_1 : VERSION_2, line.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? '')
}

/** @throws Error without the right to make a cgroup */
export const createMemoryCgroup = (bytes: number): MemoryCgroup => {
  const isFirst = existsSync(join(VERSION_1, 'memory.limit_in_bytes'))
  const own = findOwn(isFirst)
  const folder = join(isFirst ? VERSION_1 : VERSION_2, `plat-bench-${process.pid}`)
  mkdirSync(folder)
  writeFileSync(join(folder, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes))
  const enter = (to: string) => writeFileSync(join(to, 'cgroup.procs'), String(process.pid))
  return {
    within: async (start) => {
      enter(folder)
      try {
        return await start()
      } finally {
        enter(own)
      }
    },
    peak: () => readNumber(join(folder, isFirst ? 'memory.max_usage_in_bytes' : 'memory.peak')),
    kills: () => readNumber(join(folder, isFirst ? 'memory.oom_control' : 'memory.events'), 'oom_kill'),
    remove: () => rmdirSync(folder),
  }
}
