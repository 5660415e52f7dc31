/** Finds the processes that listen on a TCP port, and the data folder that each of them serves. Linux only: it reads /proc. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { LOCK_FILE } from '../../database/disk/data-lock.ts'

export type Listener = {
  readonly pid: number
  /** The data folder with the lock that the process holds; undefined for a Plat on PostgreSQL, which has none. */
  readonly folder: string | undefined
}

/** The state LISTEN in /proc/net/tcp (include/net/tcp_states.h of Linux). */
const LISTEN = '0A'

/** Returns the result of `read`; undefined for a process that has ended or belongs to another user. */
const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Returns `socket:[INODE]` of each socket that listens on the port, as links to it read. */
const findSockets = (port: number): ReadonlySet<string> => {
  const links = new Set<string>()
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of attempt(() => readFileSync(file, 'utf8'))?.split('\n') ?? []) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
      const isHere = Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16) === port
      if (state === LISTEN && isHere) links.add(`socket:[${inode}]`)
    }
  return links
}

const readLinks = (pid: string): string[] => {
  const folder = join('/proc', pid, 'fd')
  const names = attempt(() => readdirSync(folder)) ?? []
  return names.flatMap((name) => attempt(() => readlinkSync(join(folder, name))) ?? [])
}

/** Returns the processes that this user may look into. Several may listen on one port (SO_REUSEPORT). */
export const findListeners = (port: number): Listener[] => {
  const sockets = findSockets(port)
  if (sockets.size === 0) return []
  const pids = (attempt(() => readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    const links = readLinks(pid)
    if (!links.some((link) => sockets.has(link))) return []
    const lock = links.find((link) => basename(link) === LOCK_FILE)
    return { pid: Number(pid), folder: lock === undefined ? undefined : dirname(lock) }
  })
}
