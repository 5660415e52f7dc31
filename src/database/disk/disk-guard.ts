/**
 * Keeps SQLite usable on a full disk. After the first write that found no space, the database may not grow. Deletes
 * still work, in the space that the reserve frees, and so do writes that fit into freed pages. This ends when there is
 * space again.
 */
import type { Database } from 'bun:sqlite'
import { type DiskProblem, getDiskProblem } from '../../base/disk/disk-errors.ts'
import { type DiskReserve, RESERVE_BYTES, RESERVE_MARGIN_BYTES } from '../../base/disk/reserve.ts'
import type { Logger } from '../../base/runtime/log.ts'

export type DiskGuard = {
  /** Called after each transaction, outside of it, with its errors; an empty list after a commit. */
  readonly ended: (errors: readonly unknown[]) => void
  /** Returns why changes are rejected now; undefined if they are accepted. First checks for free space. */
  readonly problem: () => string | undefined
}

/** For a process that shares the file of a running server, which owns the reserve. */
export const unguarded = (): DiskGuard => ({ ended: () => {}, problem: () => undefined })

const MESSAGES: Readonly<Record<DiskProblem, string>> = {
  full: 'the disk is full: changes are refused, reading and deleting go on',
  failing: 'the disk failed at the last change',
  'read-only': 'the data can only be read',
}
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
  ({ reserve, log, isFull = () => false }: Options) =>
  (writer: Database): DiskGuard => {
    let current: DiskProblem | undefined
    let lastTry = Number.NEGATIVE_INFINITY

    const attempt = (what: string, work: () => void): void => {
      try {
        work()
      } catch (error) {
        // Safe to ignore: the next write shows whether there is space.
        log.warn(`on a full disk: ${what} failed`, { error })
      }
    }

    /** Moves the log into the file and truncates it. Readers of this process cannot be waited for. */
    const checkpoint = (): void => {
      writer.run('PRAGMA busy_timeout = 0')
      try {
        writer.run('PRAGMA wal_checkpoint(TRUNCATE)')
      } finally {
        writer.run('PRAGMA busy_timeout = 5000')
      }
    }

    const stopGrowth = (): void => {
      const { page_count: pages = 0 } = writer.query<{ page_count: number }, []>('PRAGMA page_count').get() ?? {}
      writer.run(`PRAGMA max_page_count = ${pages}`)
    }

    const becomeFull = (): void => {
      log.error('the disk is full: changes are refused until there is space, reading and deleting go on', {
        free_bytes: reserve.freeBytes(),
      })
      attempt('giving the reserve away', reserve.release)
      attempt('the checkpoint', checkpoint)
      attempt('keeping the file from growing', stopGrowth)
    }

    const becomeWell = (): void => {
      current = undefined
      writer.run(`PRAGMA max_page_count = ${UNLIMITED_PAGES}`)
      log.info('there is space on the disk again: changes are taken', { free_bytes: reserve.freeBytes() })
    }

    if (isFull()) {
      becomeFull()
      current = 'full'
    }

    const problemIn = (errors: readonly unknown[]): DiskProblem | undefined => {
      const problems = errors.flatMap((error) => getDiskProblem(error) ?? [])
      if (problems.includes('full')) return 'full'
      return problems.includes('failing') && reserve.freeBytes() < NOTHING_LEFT_BYTES ? 'full' : problems[0]
    }

    return {
      ended: (errors) => {
        // Free space on the disk ends the state, not a write that happened to fit.
        if (current === 'full') return
        const found = problemIn(errors)
        if (found === 'full') becomeFull()
        else if (found !== undefined) log.error(MESSAGES[found], { errors: errors.map(String) })
        if (found !== undefined || errors.length === 0) current = found
      },
      problem: () => {
        if (current === 'full' && performance.now() - lastTry >= RETRY_MS) {
          if (reserve.take()) becomeWell()
          else if (reserve.freeBytes() >= RESERVE_BYTES + RESERVE_MARGIN_BYTES) lastTry = performance.now()
        }
        return current === undefined ? undefined : MESSAGES[current]
      },
    }
  }
