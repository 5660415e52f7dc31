/** State shared by the stages of one scan. */
import type { Findings } from './findings.ts'
import type { TcpConnector } from './ports/tcp-connector.ts'
import type { Meter } from './progress.ts'
import type { Privilege, ScanPlan } from './protocol.ts'
import type { Reporter } from './reporter.ts'
import type { BackgroundProbes } from './sweeps/background-probes.ts'
import type { Links } from './sweeps/links.ts'
import type { RoundTrip } from './sweeps/round-trip.ts'
import type { Libc } from './sys/libc.ts'
import type { Targets } from './targets.ts'

export type ScanContext = {
  readonly plan: ScanPlan
  readonly targets: Targets
  readonly findings: Findings
  readonly reporter: Reporter
  readonly meter: Meter
  readonly privilege: Privilege
  /** Undefined without a known C library; then only sockets of Bun are used. */
  readonly c: Libc | undefined
  readonly links: Links
  /** Round-trip time of the whole network; single hosts may be slower. */
  readonly roundTrip: RoundTrip
  readonly backgroundProbes: BackgroundProbes
  /** Aborted when the scan is cancelled: then nothing more is sent. */
  readonly signal: AbortSignal
  /** A new one: who asks for it closes it. */
  readonly openConnector: (wanted: number) => TcpConnector
}
