/** Shows a progress bar on a terminal, and nothing in a pipe. */

import type { Output } from '../io.ts'
import { CLEAR_LINE } from '../terminal.ts'
import { toPrintable } from './display.ts'

const BAR_WIDTH = 24

export type Progress = {
  readonly show: (done: number, total: number) => Promise<void>
  readonly clear: () => Promise<void>
}

export const createProgress = (output: Output, name: string): Progress => ({
  show: async (done, total) => {
    if (!output.isTty) return
    const share = total > 0 ? Math.min(1, done / total) : 0
    const filled = Math.round(share * BAR_WIDTH)
    const bar = '#'.repeat(filled) + '.'.repeat(BAR_WIDTH - filled)
    await output.write(`${CLEAR_LINE}${toPrintable(name)} [${bar}] ${Math.floor(share * 100)} % (${done} of ${total})`)
  },
  clear: async () => {
    if (output.isTty) await output.write(CLEAR_LINE)
  },
})
