/** How far a scan is, in addresses: never less than before, and all of them at the very end only. Pure. */
import type { ScanType, Stage } from './protocol.ts'

const SHARES: Readonly<Record<ScanType, Readonly<Record<Stage, number>>>> = {
  quick: { liveness: 1, ports: 0, services: 0 },
  full: { liveness: 0.75, ports: 0.25, services: 0 },
  deep: { liveness: 0.6, ports: 0.25, services: 0.15 },
}

export const listStages = (type: ScanType): Stage[] =>
  (['liveness', 'ports', 'services'] as const).filter((stage) => SHARES[type][stage] > 0)

export type Meter = {
  /** That much of the stage is done, 0 to 1; the stages before it are done. */
  readonly set: (stage: Stage, fraction: number) => void
  readonly finish: () => void
  readonly stage: () => Stage
  readonly scanned: () => number
  readonly total: number
}

export const createMeter = (type: ScanType, total: number, initial = 0): Meter => {
  const shares = SHARES[type]
  let stage: Stage = 'liveness'
  let scanned = Math.min(initial, Math.max(0, total - 1))
  return {
    set: (current, fraction) => {
      stage = current
      const stages = listStages(type)
      const before = stages.slice(0, stages.indexOf(current)).reduce((sum, one) => sum + shares[one], 0)
      const share = before + shares[current] * Math.min(1, Math.max(0, fraction))
      scanned = Math.max(scanned, Math.min(Math.floor(total * share), Math.max(0, total - 1)))
    },
    finish: () => {
      scanned = total
    },
    stage: () => stage,
    scanned: () => scanned,
    total,
  }
}
