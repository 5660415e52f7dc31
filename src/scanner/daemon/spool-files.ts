/** The files of the spool: a folder a lease, a file a segment, a line a report. */
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Holding } from '../wire.ts'

/** Ids of scans and names of leases that may be a part of a file name. */
export const SAFE_NAME = /^[A-Za-z0-9_-]{1,120}$/

export type StoredSegment = { readonly seq: number; readonly reports: number; readonly bytes: number }

export const getLeaseFolder = (folder: string, { scan_id, lease }: Holding): string =>
  join(folder, `${scan_id}.${lease}`)

const parseFolderName = (name: string): Holding | undefined => {
  const [scan_id = '', lease = '', ...rest] = name.split('.')
  return rest.length === 0 && SAFE_NAME.test(scan_id) && SAFE_NAME.test(lease) ? { scan_id, lease } : undefined
}

/** Returns the leases of a spool without changing it. */
export const listHoldings = (folder: string): Holding[] => {
  try {
    const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    return folders.flatMap(({ name }) => parseFolderName(name) ?? [])
  } catch {
    // There is no such folder before the first scan.
    return []
  }
}

export const makeFolder = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}

/** Returns the whole lines of a segment, and cuts off the rest of one that was being written when the process ended. */
export const readLines = (file: string): string[] => {
  const text = readFileSync(file, 'utf8')
  const end = text.lastIndexOf('\n') + 1
  if (end < text.length) truncateSync(file, Buffer.byteLength(text.slice(0, end)))
  return text.slice(0, end).split('\n').slice(0, -1)
}

/** Returns the segments that an earlier process left, in order. */
export const loadSegments = (folder: string): StoredSegment[] =>
  readdirSync(folder)
    .filter((name) => /^\d{1,15}$/.test(name))
    .flatMap((name) => {
      const file = join(folder, name)
      const lines = readLines(file)
      if (lines.length > 0) {
        const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
        return { seq: Number(name), reports: lines.length, bytes }
      }
      // Only the last file can be without a whole line.
      rmSync(file)
      return []
    })
    .sort((a, b) => a.seq - b.seq)
