/** The first stage: finds the addresses that answer. Runs the sweeps that this process is allowed to, one after the other. */

import type { Position } from '../checkpoint.ts'
import type { Findings } from '../findings.ts'
import type { ScanContext } from '../scan-context.ts'
import { createArpSweep } from './arp-sweep.ts'
import { createIcmpSweep } from './icmp-sweep.ts'
import { createNeighbourSweep } from './neighbour-sweep.ts'
import type { Sweep } from './sweep.ts'
import { createTcpSweep } from './tcp-sweep.ts'

const TRIES = { quick: 2, full: 2, deep: 3 } as const
/** Probes of the last second before a restart are repeated: their answers may have been lost. */
const DOUBTFUL_MS = 1000
/** On-link networks larger than a /22 do not fit into the neighbor table of the kernel. */
const FITS_THE_TABLE = 1022
/** Probe rate that fits the kernel's neighbor table, for systems where it cannot be read. */
const BLIND_PER_SECOND = 200

/** Returns the sweeps in the order in which they run. */
const createSweeps = (context: ScanContext, isWanted: (index: number) => boolean): Sweep[] => {
  const { plan, privilege, links, c, targets } = context
  const tries = TRIES[plan.type]
  const usesArp = privilege.arp && targets.family === 4 && links.count > FITS_THE_TABLE
  /** A host on the link that does not answer there is down. */
  const isSettled = (index: number): boolean => (usesArp || privilege.neighbours) && links.of(index) !== undefined
  const isOpen = (index: number): boolean => isWanted(index) && !isSettled(index)
  const settled = usesArp || privilege.neighbours ? links.count : 0
  const isEmpty = settled >= targets.total

  const sweeps: Sweep[] = []
  if (c && links.count > 0 && usesArp) sweeps.push(createArpSweep(context, { links, c, tries, isWanted }))
  else if (c && links.count > 0 && privilege.neighbours)
    sweeps.push(createNeighbourSweep(context, { links, c, tries, isWanted }))
  if (c && privilege.icmp && !isEmpty) {
    const perSecond = links.count > settled ? Math.min(BLIND_PER_SECOND, plan.probesPerSecond) : plan.probesPerSecond
    sweeps.push(createIcmpSweep(context, { c, tries, isThorough: plan.type === 'deep', isWanted: isOpen, perSecond }))
  }
  const needsTcp = plan.type !== 'quick' || !privilege.icmp
  if (needsTcp && !isEmpty) sweeps.push(createTcpSweep(context, { tries, isWanted: isOpen }))
  return sweeps
}

/** Finds the hosts that answer, from a position on. Starts at the first sweep when the position names one that does not run. */
export const discoverHosts = async (context: ScanContext, from: Position): Promise<void> => {
  const { plan, targets, findings, reporter, meter, signal } = context
  const sweeps = createSweeps(context, (index) => !findings.up.has(index))
  const first = sweeps.findIndex(({ name }) => name === from.sweep)
  const doubtful = Math.ceil((plan.probesPerSecond * DOUBTFUL_MS) / 1000)
  const passesBefore = (at: number): number => sweeps.slice(0, at).reduce((sum, { passes }) => sum + passes, 0)

  for (const [at, sweep] of sweeps.entries()) {
    if (at < first) continue
    const isResumed = at === first
    for (let pass = isResumed ? from.pass : 0; pass < sweep.passes && !signal.aborted; pass++) {
      const place = isResumed && pass === from.pass ? Math.max(0, from.place - doubtful) : 0
      const onPlace = (reached: number): void => {
        reporter.at({ stage: 'liveness', sweep: sweep.name, pass, place: reached })
        meter.set('liveness', (passesBefore(at) + pass + reached / targets.size) / passesBefore(sweeps.length))
      }
      await sweep.run({ pass, from: place, onPlace })
    }
    sweep.close()
  }
}

const hasAny = ({ up }: Findings, isUnmet: (index: number) => boolean): boolean => {
  for (let index = up.next(0); index !== undefined; index = up.next(index + 1)) if (isUnmet(index)) return true
  return false
}

/** Probes the hosts that an earlier process found, from an index on: its observations of them were lost with it. */
export const rediscoverHosts = async (context: ScanContext, from: number): Promise<void> => {
  const { findings, signal } = context
  const isUnmet = (index: number): boolean => index >= from && findings.up.has(index) && !findings.isSeen(index)
  if (!hasAny(findings, isUnmet)) return
  const sweeps = createSweeps(context, isUnmet)
  for (const sweep of sweeps) {
    for (let pass = 0; pass < sweep.passes && !signal.aborted; pass++)
      await sweep.run({ pass, from: 0, onPlace: () => {} })
    sweep.close()
  }
}
