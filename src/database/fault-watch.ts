/**
 * Remembers the fault of a database from the first failure to the first successful write. A small write tries it again while it lasts,
 * because a server that is not ready gets no request that would.
 */
import { type Fault, type FaultKind, formatFault } from '../base/disk/fault.ts'
import type { Logger } from '../base/runtime/log.ts'
import { AppError } from '../contract/errors.ts'

export type FaultWatch = {
  /** Called with each error of the database. Other errors than those of a fault have no effect. */
  readonly noticed: (error: unknown) => void
  readonly current: () => Fault | undefined
  readonly close: () => void
}

type Options = {
  /** Returns the fault that an error reports. */
  readonly getFault: (error: unknown) => Fault | undefined
  /** Writes something small. @throws the error of the database */
  readonly probe: () => Promise<unknown>
  readonly log?: Logger | undefined
  readonly everyMs?: number
}

const EVERY_MS = 1000
/** A fault that returns within this time of its end is tried half as often as before, down to this same pause. */
const QUIET_MS = 60_000

/** The server does not answer, so it is unknown whether the fault lasts. */
const isUnknown = (error: unknown): boolean => error instanceof AppError && error.code === 'UNAVAILABLE'

export const createFaultWatch = ({ getFault, probe, log, everyMs = EVERY_MS }: Options): FaultWatch => {
  let current: Fault | undefined
  let beganMs = 0
  let endedMs = Number.NEGATIVE_INFINITY
  let pauseMs = everyMs
  /** Logged since the beginning: faults may alternate. */
  const logged = new Set<FaultKind>()
  let timer: Timer | undefined
  let isClosed = false

  const begin = (fault: Fault, error: unknown): void => {
    current = fault
    if (logged.has(fault.kind)) return
    logged.add(fault.kind)
    log?.error(formatFault(fault), { error })
  }

  const end = (): void => {
    const kind = current?.kind
    current = undefined
    logged.clear()
    endedMs = performance.now()
    log?.info('changes are taken again', { fault: kind, seconds: Math.round((endedMs - beganMs) / 1000) })
  }

  const schedule = (): void => {
    timer = setTimeout(() => void tryAgain(), pauseMs)
    timer.unref()
  }

  const tryAgain = async (): Promise<void> => {
    try {
      await probe()
    } catch (error) {
      const fault = getFault(error)
      if (fault) begin(fault, error)
      if (!isClosed && (fault || isUnknown(error))) return schedule()
    }
    if (!isClosed) end()
  }

  return {
    noticed: (error) => {
      const fault = isClosed ? undefined : getFault(error)
      if (!fault) return
      const isFirst = current === undefined
      begin(fault, error)
      if (!isFirst) return
      beganMs = performance.now()
      pauseMs = beganMs - endedMs < QUIET_MS ? Math.min(pauseMs * 2, QUIET_MS) : everyMs
      schedule()
    },
    current: () => current,
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
