/** Common parts of the offline commands: configuration, progress on a terminal, and cancellation. */

import { type Config, loadConfig } from '../../base/config/config.ts'
import type { Watch } from '../../database/sqlite/file-work.ts'
import type { Output } from '../../surfaces/cli/io.ts'
import { toPrintable } from '../../surfaces/cli/output/display.ts'
import { getText, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { CLEAR_LINE } from '../../surfaces/cli/terminal.ts'

export type Settings = Readonly<Record<string, string>>

/** Returns the flags that are settings, by the name of the variable. */
export const readSettings = (texts: Texts): Settings => {
  const dataDir = getText(texts, 'data-dir')
  return dataDir === undefined ? {} : { DATA_DIR: dataDir }
}

/** @throws ConfigError */
export const loadSessionConfig = ({ io }: Session, texts: Texts): Config =>
  loadConfig({ env: io.env, flags: readSettings(texts), cwd: process.cwd() })

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** @example formatSize(12_345_678) // '12.3 MB' */
export const formatSize = (bytes: number): string => {
  let [amount, unit] = [bytes, 0]
  while (amount >= 1000 && unit < UNITS.length - 1) {
    amount /= 1000
    unit++
  }
  return `${unit === 0 ? amount : amount.toFixed(1)} ${UNITS[unit]}`
}

const TICK_MS = 100

/** Writes one line that changes on a terminal, nothing in a pipe. */
const createLiveLine = (output: Output, name: string) => {
  let shownAt = Number.NEGATIVE_INFINITY
  let shownStage = ''
  return {
    show: (stage: string, done: number, total: number): void => {
      const at = performance.now()
      if (!output.isTty || (stage === shownStage && at - shownAt < TICK_MS)) return
      shownAt = at
      shownStage = stage
      const share = done > 0 && total > 0 ? ` ${Math.floor((done / total) * 100)} %` : ''
      const text = `${CLEAR_LINE}${toPrintable(name)}: ${stage}${share} (${formatSize(total)})`
      // A closed terminal is no reason to abort.
      output.write(text).catch(() => {})
    },
    clear: async (): Promise<void> => {
      if (output.isTty) await output.write(CLEAR_LINE)
    },
  }
}

/** Runs long work with progress, which Ctrl-C cancels. */
export const runWatched = async <T>(
  { io, globals }: Session,
  name: string,
  work: (watch: Watch) => Promise<T>,
): Promise<T> => {
  const line = createLiveLine(io.stderr, name)
  const progress: Watch['progress'] = globals.isQuiet ? () => {} : line.show
  const signal = io.interrupted()
  try {
    return await work({ signal, progress })
  } catch (error) {
    // Cancelled work may throw another error.
    signal.throwIfAborted()
    throw error
  } finally {
    await line.clear()
  }
}
