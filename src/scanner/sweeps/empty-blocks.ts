/** A quick scan that lost no packets does not probe blocks without an answer again, which halves its time. */
import type { ScanContext } from '../scan-context.ts'

const BLOCK_BITS = 8
/** Smaller networks are done soon enough. */
const LEAST_SIZE = 2048
/** Fewer hosts do not permit an estimate of losses. */
const FEWEST_FOUND = 64

export type Trial = (isWanted: (index: number) => boolean, isRest: boolean) => Promise<void>

export const leavesOutEmptyBlocks = ({ plan, targets, findings, reporter, signal }: ScanContext) => ({
  /** Runs the pass over everything, or over the inhabited blocks first and then perhaps over the rest. */
  run: async (pass: number, trial: Trial): Promise<void> => {
    const found = findings.up.count()
    if (pass === 0 || plan.type !== 'quick' || targets.size < LEAST_SIZE || found < FEWEST_FOUND)
      return trial(() => true, false)
    const inhabited = new Set<number>()
    for (let index = findings.up.next(0); index !== undefined; index = findings.up.next(index + 1))
      inhabited.add(index >> BLOCK_BITS)
    await trial((index) => inhabited.has(index >> BLOCK_BITS), false)
    if (signal.aborted) return
    if (findings.up.count() > found) return trial((index) => !inhabited.has(index >> BLOCK_BITS), true)
    const left = (targets.size >> BLOCK_BITS) - inhabited.size
    if (left > 0)
      reporter.note(
        `the first pass lost nothing: ${left} blocks of 256 addresses without any answer are not tried again`,
      )
  },
})
