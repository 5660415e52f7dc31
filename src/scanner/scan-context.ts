/** What the stages of one scan share. */
import type { Findings } from './findings.ts'
import type { Latecomers } from './latecomers.ts'
import type { Libc } from './libc.ts'
import type { Links } from './links.ts'
import type { Meter } from './progress.ts'
import type { Privilege, ScanPlan } from './protocol.ts'
import type { Reporter } from './reporter.ts'
import type { RoundTrip } from './round-trip.ts'
import type { Targets } from './targets.ts'
import type { TcpConnector } from './tcp-connector.ts'

export type ScanContext = {
  readonly plan: ScanPlan
  readonly targets: Targets
  readonly findings: Findings
  readonly reporter: Reporter
  readonly meter: Meter
  readonly privilege: Privilege
  /** Undefined where it is not known; then only what Bun itself can do is done. */
  readonly c: Libc | undefined
  readonly links: Links
  /** Of the whole network; single hosts may be slower. */
  readonly roundTrip: RoundTrip
  readonly latecomers: Latecomers
  /** Aborted when the scan is cancelled: then nothing more is sent. */
  readonly signal: AbortSignal
  /** A new one: who asks for it closes it. */
  readonly openConnector: (wanted: number) => TcpConnector
}
