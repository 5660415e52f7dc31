/** One scan from beginning to end: the stages of its type over the hosts of its network. Knows nothing of the process around it. */

import { type Position, readCheckpoint, START } from './checkpoint.ts'
import { createFindings } from './findings.ts'
import { refuseOutsideLab } from './lab-guard.ts'
import { createNetConnector } from './ports/net-connector.ts'
import { scanPorts } from './ports/port-scan.ts'
import { createTcpConnector } from './ports/tcp-connector.ts'
import { createMeter, listStages } from './progress.ts'
import type { FromScanner, ScanPlan, Stage } from './protocol.ts'
import { createReporter, type Reporter } from './reporter.ts'
import type { ScanContext } from './scan-context.ts'
import { createNameService } from './services/ptr.ts'
import { createBackgroundProbes } from './sweeps/background-probes.ts'
import { findLinks } from './sweeps/links.ts'
import { discoverHosts, rediscoverHosts } from './sweeps/liveness.ts'
import { createRoundTrip } from './sweeps/round-trip.ts'
import { createBitset } from './sys/bitset.ts'
import { openLibc } from './sys/libc.ts'
import { findPrivilege } from './sys/privilege.ts'
import { openVendors } from './sys/vendors.ts'
import { openTargets, PlanError, refuseLocal } from './targets.ts'

/** Maximum number of responding hosts that are stored completely until the end, so that late findings can be added. */
const KEPT_HOSTS = 4096

export type ScanOptions = {
  readonly send: (message: FromScanner) => void
  readonly signal: AbortSignal
  /** Called once, as soon as acknowledgments have someone to go to. */
  readonly onReporter: (reporter: Reporter) => void
}

/** Sends `ready`, the batches, then `done` or `cancelled`. @throws PlanError for an invalid plan */
export const runScan = async (plan: ScanPlan, { send, signal, onReporter }: ScanOptions): Promise<void> => {
  const targets = openTargets(plan.subnet, plan.excludes)
  // Also without the server's word for it: a plan that does not say so may not.
  if (plan.allowLocal !== true) refuseLocal(targets.block)
  refuseOutsideLab(targets, plan.subnet)
  if (!(plan.probesPerSecond >= 1)) throw new PlanError('probesPerSecond: must be at least 1')
  if (!(plan.probeTimeoutMs >= 1)) throw new PlanError('probeTimeoutMs: must be at least 1')

  const saved = readCheckpoint(plan.subnet, plan.checkpoint)
  const position = saved?.position ?? START
  // A host is finished only in the last stage. Before it, later stages need the findings of this process.
  const isInLast = position.stage !== 'liveness' && position.stage === listStages(plan.type).at(-1)
  const doneBefore = isInLast ? position.place : 0
  const names = createNameService({
    targets,
    onName: (index, name) => findings.addName(index, { name, source: 'ptr' }),
    onGivenUp: () => reporter.note('the resolver of this machine does not answer: hosts are not looked up by address'),
  })
  const findings = createFindings({
    targets,
    vendorOf: await openVendors(),
    onFound: (index) => names.ask(index),
    doneBefore,
    ...(saved && { told: saved.told }),
  })
  const meter = createMeter(plan.type, targets.total, saved?.scanned)
  const finished = createBitset(targets.size)
  const reporter = createReporter({
    send,
    subnet: plan.subnet,
    findings,
    meter,
    start: position,
    isDone: (index) => finished.has(index) && findings.up.count() > KEPT_HOSTS && names.isSettled(index),
  })
  onReporter(reporter)

  const c = openLibc()
  const links = findLinks(c, targets)
  const privilege = findPrivilege(c, targets)
  send({ type: 'ready', privilege })
  const context: ScanContext = {
    plan,
    targets,
    findings,
    reporter,
    meter,
    privilege,
    c,
    links,
    backgroundProbes: createBackgroundProbes(),
    signal,
    roundTrip: createRoundTrip(),
    openConnector: (wanted) =>
      c ? createTcpConnector(c, targets, wanted) : createNetConnector(targets, Math.min(wanted, 128)),
  }

  for (const [index, mac] of links.own) findings.own(index, mac)
  reporter.start()
  try {
    await runStages(context, { position, doneBefore, onHost: (index) => finished.add(index) })
    await context.backgroundProbes.settle()
    const nameless = await names.settle(signal)
    if (nameless > 0 && !signal.aborted)
      reporter.note(`the resolver of this machine is slow: ${nameless} hosts were not looked up by address in time`)
    await reporter.drain(signal)
  } finally {
    names.close()
    reporter.stop()
  }
  if (!signal.aborted) meter.finish()
  reporter.last()
  send({ type: signal.aborted ? 'cancelled' : 'done' })
}

type Run = {
  readonly position: Position
  /** The lowest host that is not done. */
  readonly doneBefore: number
  readonly onHost: (index: number) => void
}

const runStages = async (context: ScanContext, { position, doneBefore, onHost }: Run): Promise<void> => {
  const { plan, reporter, meter, signal } = context
  const stages = listStages(plan.type)
  const begin = (stage: Stage) => {
    const onProgress = (place: number, fraction: number): void => {
      reporter.at({ stage, sweep: '', pass: 0, place })
      meter.set(stage, fraction)
    }
    onProgress(doneBefore, 0)
    return onProgress
  }

  if (position.stage === 'liveness') await discoverHosts(context, position)
  if (plan.type !== 'quick' && !signal.aborted) await rediscoverHosts(context, doneBefore)
  if (stages.includes('ports') && !signal.aborted) {
    await scanPorts(context, {
      from: doneBefore,
      onHost: (index) => stages.at(-1) === 'ports' && onHost(index),
      // One that was in the last stage stays there, though the hosts that are left need their ports once more.
      onProgress: position.stage === 'services' ? () => {} : begin('ports'),
    })
  }
  if (!stages.includes('services') || signal.aborted) return
  // Loaded when it is needed: it is most of the program.
  const { scanServices } = await import('./services/service-scan.ts')
  await scanServices(context, { from: doneBefore, onHost, onProgress: begin('services') })
}
