/**
 * Reports on the disk until the server has acknowledged them. A segment is one request, one report a line: its content is fixed before it
 * is sent, so that a repeat after a restart has the same number and the same reports. It is on the disk before the next one begins: a
 * power failure takes only the end, and the scan goes on from the checkpoint before it.
 */
import { appendFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { syncFile } from '../../base/disk/durable.ts'
import { type Holding, WIRE_LIMITS } from '../wire.ts'
import { type Line, MAX_LINES_BYTES } from './report-lines.ts'
import { getLeaseFolder, listHoldings, loadSegments, makeFolder, readLines, type StoredSegment } from './spool-files.ts'

type Segment = {
  readonly seq: number
  reports: number
  hosts: number
  bytes: number
  /** Nothing is added any more. */
  isClosed: boolean
  isLast: boolean
  readonly openedAtMs: number
}

export type LeaseSpool = {
  readonly holding: Holding
  /** Resolves when the lines are stored, or the lease takes none any more. Waits while the spool is full. */
  readonly append: (lines: readonly Line[]) => Promise<void>
  /** When the next request should leave, by the clock of `performance.now`; undefined while there is none. */
  readonly dueAtMs: () => number | undefined
  /** Closes the first segment and returns the request. */
  readonly take: () => { readonly seq: number; readonly body: string } | undefined
  /** Removes the segments up to this number. */
  readonly acknowledge: (seq: number) => void
  readonly isEmpty: () => boolean
  /** Ignores further lines, and removes everything. */
  readonly discard: () => void
}

export type Spool = {
  /** Leases that an earlier process left. */
  readonly left: readonly LeaseSpool[]
  readonly open: (holding: Holding) => LeaseSpool
  readonly countReports: () => number
  /** Nothing waits for room any more: the process ends. */
  readonly stop: () => void
}

export type SpoolOptions = {
  readonly folder: string
  readonly maxBytes: number
  /** Called when the disk refuses a write, once until one succeeds. */
  readonly onFault: (error: unknown) => void
  readonly nowMs?: () => number
}

/** Time within which new hosts leave. */
const HOSTS_WITHIN_MS = 250
/** Time between two requests while only progress moves. */
const PROGRESS_EVERY_MS = 2000
const RETRY_DISK_MS = 1000

/** The room of the spool, which all leases share. */
const createRoom = (maxBytes: number) => {
  let usedBytes = 0
  const waiting = new Set<() => void>()
  return {
    has: (bytes: number): boolean => usedBytes === 0 || usedBytes + bytes <= maxBytes,
    add: (bytes: number): void => {
      usedBytes += bytes
    },
    /** Wakes all that wait. */
    wake: (): void => {
      for (const resume of waiting) resume()
    },
    /** Resolves at the next wake, or after the time. */
    wait: (ms?: number): Promise<void> =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer)
          waiting.delete(finish)
          resolve()
        }
        const timer = ms === undefined ? undefined : setTimeout(finish, ms)
        waiting.add(finish)
      }),
  }
}

export const createSpool = ({ folder, maxBytes, onFault, nowMs = () => performance.now() }: SpoolOptions): Spool => {
  makeFolder(folder)
  const room = createRoom(maxBytes)
  let reports = 0
  let isFaulty = false
  let isStopped = false

  const openLease = (holding: Holding, stored: readonly StoredSegment[]): LeaseSpool => {
    const path = getLeaseFolder(folder, holding)
    const segments: Segment[] = []
    let lastSeq = 0
    let sentAtMs = Number.NEGATIVE_INFINITY
    let isSealed = false

    const add = (segment: Segment): Segment => {
      segments.push(segment)
      lastSeq = segment.seq
      reports += segment.reports
      room.add(segment.bytes)
      return segment
    }
    for (const one of stored) add({ ...one, hosts: 0, isClosed: true, isLast: false, openedAtMs: 0 })

    const getFile = ({ seq }: Segment): string => join(path, String(seq))
    const remove = (segment: Segment): void => {
      rmSync(getFile(segment), { force: true })
      segments.splice(segments.indexOf(segment), 1)
      reports -= segment.reports
      room.add(-segment.bytes)
    }

    /** Returns the segment that takes the line: a request has bounds. */
    const findSegment = ({ hosts }: Line, bytes: number): Segment => {
      const last = segments.at(-1)
      const hasRoom =
        last !== undefined &&
        !last.isClosed &&
        last.reports < WIRE_LIMITS.reports &&
        last.hosts + hosts <= WIRE_LIMITS.hosts &&
        last.bytes + bytes <= MAX_LINES_BYTES
      if (hasRoom) return last
      if (last !== undefined) {
        last.isClosed = true
        syncFile(getFile(last))
      }
      const empty = { reports: 0, hosts: 0, bytes: 0, isClosed: false, isLast: false }
      return add({ ...empty, seq: lastSeq + 1, openedAtMs: nowMs() })
    }

    const write = (line: Line, bytes: number): void => {
      const segment = findSegment(line, bytes)
      const file = getFile(segment)
      try {
        appendFileSync(file, `${line.text}\n`, { mode: 0o600 })
      } catch (error) {
        // A full disk may have taken a part of it.
        if (segment.bytes > 0) truncateSync(file, segment.bytes)
        else {
          remove(segment)
          lastSeq--
        }
        throw error
      }
      segment.reports++
      segment.hosts += line.hosts
      segment.bytes += bytes
      segment.isLast ||= line.isLast
      reports++
      room.add(bytes)
    }

    const isWritten = (line: Line, bytes: number): boolean => {
      if (!room.has(bytes)) return false
      try {
        write(line, bytes)
        isFaulty = false
        return true
      } catch (error) {
        if (!isFaulty) onFault(error)
        isFaulty = true
        return false
      }
    }

    const append = async (line: Line): Promise<void> => {
      const bytes = Buffer.byteLength(line.text) + 1
      while (!isSealed && !isWritten(line, bytes)) {
        // A later line has a checkpoint after the hosts of this one.
        if (isStopped) isSealed = true
        else await room.wait(isFaulty ? RETRY_DISK_MS : undefined)
      }
    }

    return {
      holding,
      append: async (lines) => {
        for (const line of lines) await append(line)
      },
      dueAtMs: () => {
        const [first] = segments
        if (first === undefined) return undefined
        if (first.isClosed || first.isLast) return 0
        if (first.hosts > 0) return first.openedAtMs + HOSTS_WITHIN_MS
        return Math.max(first.openedAtMs, sentAtMs + PROGRESS_EVERY_MS)
      },
      take: () => {
        const [first] = segments
        if (first === undefined) return undefined
        first.isClosed = true
        sentAtMs = nowMs()
        const lines = readLines(getFile(first))
        const head = `{"lease":${JSON.stringify(holding.lease)},"seq":${first.seq},"reports":[`
        return { seq: first.seq, body: `${head}${lines.join(',')}]}` }
      },
      acknowledge: (seq) => {
        for (const segment of segments.filter((one) => one.isClosed && one.seq <= seq)) remove(segment)
        room.wake()
      },
      isEmpty: () => segments.length === 0,
      discard: () => {
        for (const segment of [...segments]) remove(segment)
        rmSync(path, { recursive: true, force: true })
        isSealed = true
        room.wake()
      },
    }
  }

  const left = listHoldings(folder).flatMap((holding) => {
    const lease = openLease(holding, loadSegments(getLeaseFolder(folder, holding)))
    if (!lease.isEmpty()) return [lease]
    lease.discard()
    return []
  })

  return {
    left,
    open: (holding) => {
      makeFolder(getLeaseFolder(folder, holding))
      return openLease(holding, [])
    },
    countReports: () => reports,
    stop: () => {
      isStopped = true
      room.wake()
    },
  }
}
