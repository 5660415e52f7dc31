/**
 * Keeps SQLite usable on a full disk. After the first write that found no space, the database may not grow. Deletes
 * still work, in the space that the reserve frees, and so do writes that fit into freed pages. This ends when there is
 * space again.
 */
import type { Database } from 'bun:sqlite'
import { DISK_FAULTS, getDiskProblem } from '../../base/disk/disk-errors.ts'
import { type Fault, formatFault } from '../../base/disk/fault.ts'
import { type DiskReserve, RESERVE_BYTES, RESERVE_MARGIN_BYTES } from '../../base/disk/reserve.ts'
import type { Logger } from '../../base/runtime/log.ts'

export type DiskGuard = {
  /** Called after each transaction, outside of it, with its errors. Returns true if the disk is full. */
  readonly ended: (errors: readonly unknown[]) => boolean
  /** Returns the fault while the disk is full. First checks for free space. */
  readonly fault: () => Fault | undefined
}

/** For a process that shares the file of a running server, which owns the reserve. */
export const unguarded = (): DiskGuard => ({ ended: () => false, fault: () => undefined })

/** SQLite's own limit, in pages. */
const UNLIMITED_PAGES = 4_294_967_294
/** Below this free space the system reports other errors than a full disk, such as a file that can't be mapped. */
const NOTHING_LEFT_BYTES = 1024 * 1024
/** Pause after a reserve that failed despite free space (a quota). */
const RETRY_MS = 1000

type Options = {
  readonly reserve: DiskReserve
  readonly log: Logger
  /** Returns true if the disk was full when the file was opened. */
  readonly isFull?: () => boolean
}

export const guardDisk =
  ({ reserve, log, isFull: wasFull = () => false }: Options) =>
  (writer: Database): DiskGuard => {
    let isFull = false
    let lastTry = Number.NEGATIVE_INFINITY

    const attempt = (what: string, work: () => void): void => {
      try {
        work()
      } catch (error) {
        // Safe to ignore: the next write shows whether there is space.
        log.warn(`on a full disk: ${what} failed`, { error })
      }
    }

    /** Moves the log into the file and truncates it. */
    const checkpoint = (): void => {
      writer.run('PRAGMA wal_checkpoint(TRUNCATE)')
    }

    const stopGrowth = (): void => {
      const { page_count: pages = 0 } = writer.query<{ page_count: number }, []>('PRAGMA page_count').get() ?? {}
      writer.run(`PRAGMA max_page_count = ${pages}`)
    }

    const becomeFull = (): void => {
      isFull = true
      log.error(formatFault(DISK_FAULTS.full), { free_bytes: reserve.freeBytes() })
      attempt('giving the reserve away', reserve.release)
      attempt('the checkpoint', checkpoint)
      attempt('keeping the file from growing', stopGrowth)
    }

    const becomeWell = (): void => {
      isFull = false
      writer.run(`PRAGMA max_page_count = ${UNLIMITED_PAGES}`)
      log.info('there is space on the disk again: changes are taken', { free_bytes: reserve.freeBytes() })
    }

    if (wasFull()) becomeFull()

    const hasFilled = (errors: readonly unknown[]): boolean => {
      const problems = errors.map(getDiskProblem)
      return problems.includes('full') || (problems.includes('failing') && reserve.freeBytes() < NOTHING_LEFT_BYTES)
    }

    return {
      ended: (errors) => {
        // Free space on the disk ends the state, not a write that happened to fit.
        if (!isFull && errors.length > 0 && hasFilled(errors)) becomeFull()
        return isFull
      },
      fault: () => {
        if (isFull && performance.now() - lastTry >= RETRY_MS) {
          if (reserve.take()) becomeWell()
          else if (reserve.freeBytes() >= RESERVE_BYTES + RESERVE_MARGIN_BYTES) lastTry = performance.now()
        }
        return isFull ? DISK_FAULTS.full : undefined
      },
    }
  }
