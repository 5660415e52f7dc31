/** Shows the progress of a copy: one line that changes on a terminal, nothing in a pipe. */

import type { Output } from '../../surfaces/cli/io.ts'
import { cut, toPrintable } from '../../surfaces/cli/output/display.ts'
import { CLEAR_LINE } from '../../surfaces/cli/terminal.ts'
import type { ShowRows } from './copy.ts'

const TICK_MS = 100
/** Before that a rate is inexact. */
const SURE_AFTER_MS = 1000

const formatCount = (n: number): string => Math.round(n).toLocaleString('en-US')

/** @example formatTime(75_000) // '1 min 15 s' */
export const formatTime = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** @example formatProgress({ stage: 'copying devices', done: 500, total: 2000, inMs: 2000, since: 0 }) // 'copying devices: 500 of 2,000 rows (25 %), 250 rows/s, 6 s left' */
export const formatProgress = ({
  stage,
  done,
  total,
  since,
  inMs,
}: {
  readonly stage: string
  readonly done: number
  readonly total: number
  /** Rows that were done when the time began. */
  readonly since: number
  readonly inMs: number
}): string => {
  if (total === 0) return stage
  const text = `${stage}: ${formatCount(done)} of ${formatCount(total)} rows (${Math.floor((done / total) * 100)} %)`
  const perMs = (done - since) / inMs
  if (inMs < SURE_AFTER_MS || perMs <= 0) return text
  return `${text}, ${formatCount(perMs * 1000)} rows/s, ${formatTime((total - done) / perMs)} left`
}

export type Meter = { readonly show: ShowRows; readonly clear: () => Promise<void> }

export const createMeter = (output: Output, name: string): Meter => {
  let shownAt = Number.NEGATIVE_INFINITY
  let phase = { verb: '', began: 0, since: 0 }
  return {
    show: (stage, done, total) => {
      const at = performance.now()
      const [verb = ''] = stage.split(' ')
      const isNew = verb !== phase.verb
      // Each phase has its own rate: comparing is faster than copying.
      if (isNew) phase = { verb, began: at, since: done }
      if (!output.isTty || (!isNew && at - shownAt < TICK_MS)) return
      shownAt = at
      const text = formatProgress({ stage, done, total, since: phase.since, inMs: at - phase.began })
      // A closed terminal is no reason to abort.
      const line = cut(toPrintable(`${name}: ${text}`), (output.columns ?? Infinity) - 1)
      output.write(`${CLEAR_LINE}${line}`).catch(() => {})
    },
    clear: async () => {
      if (output.isTty) await output.write(CLEAR_LINE)
    },
  }
}
