/** The third stage: identifies the living hosts. Network-wide questions come first, then the services of each host. */
import { createSemaphore } from '../ports/semaphore.ts'
import type { ScanContext } from '../scan-context.ts'
import { createPacer } from '../sweeps/pacer.ts'
import { type HostServices, scanHost } from './host-services.ts'
import { askNetwork } from './network-questions.ts'
import { openRecog } from './recog.ts'

/** Hosts that are looked at in one go. */
const HOSTS_AT_ONCE = 64
/** Connections in all, and handshakes of SSH, which cost much more. */
const CONNECTIONS = 128
const HANDSHAKES = 4

export type ServiceScan = {
  /** Host from which on it is to be done. */
  readonly from: number
  /** It is done. */
  readonly onHost: (index: number) => void
  /** The lowest host that is not done, and the share that is. */
  readonly onProgress: (place: number, fraction: number) => void
}

export const scanServices = async (context: ScanContext, { from, onHost, onProgress }: ServiceScan): Promise<void> => {
  const { plan, findings, signal, reporter } = context
  const hosts: number[] = []
  for (let index = findings.up.next(from); index !== undefined; index = findings.up.next(index + 1)) hosts.push(index)
  const recog = plan.fingerprintsFolder === '' ? undefined : await openRecog(plan.fingerprintsFolder, reporter.note)
  const pacer = createPacer(plan.probesPerSecond)
  const tools: HostServices = {
    context,
    connections: createSemaphore(CONNECTIONS),
    handshakes: createSemaphore(HANDSHAKES),
    pacer,
    recog,
  }
  const answers = askNetwork(context, { hosts, pacer })
  const underWay = new Set<number>()
  let [next, done] = [0, 0]
  const worker = async (): Promise<void> => {
    while (next < hosts.length && !signal.aborted) {
      const index = hosts[next++]
      if (index === undefined) return
      underWay.add(index)
      await scanHost(index, tools, answers)
      underWay.delete(index)
      // A cancelled host is not done.
      if (signal.aborted) return
      done++
      onHost(index)
      onProgress(Math.min(hosts[next] ?? index + 1, ...underWay), done / hosts.length)
    }
  }
  await Promise.all(Array.from({ length: Math.min(HOSTS_AT_ONCE, hosts.length) }, worker))
  await answers.finish()
}
