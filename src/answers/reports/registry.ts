/** The reports, in the order of lists. A further report is a file, and a line here. */
import { notFound } from '../../contract/errors.ts'
import { expiringCertificates } from './certificates.ts'
import { disagreements } from './disagreements/disagreements.ts'
import { newPorts, shadows } from './discovered.ts'
import { dnsMismatch } from './dns.ts'
import { ghosts } from './ghosts.ts'
import { duplicateMacs } from './macs.ts'
import { unscannedNetworks } from './networks.ts'
import { unlocatedDevices, unplacedAddresses } from './places.ts'
import { fullPools } from './pools.ts'
import type { Report } from './report.ts'
import { staleReservations } from './reservations.ts'

export const REPORTS: readonly Report[] = [
  ghosts,
  shadows,
  duplicateMacs,
  dnsMismatch,
  unplacedAddresses,
  fullPools,
  staleReservations,
  unlocatedDevices,
  expiringCertificates,
  newPorts,
  unscannedNetworks,
  disagreements,
]

/** @throws AppError NOT_FOUND */
export const getReportOrThrow = (name: string): Report => {
  const report = REPORTS.find((one) => one.name === name)
  if (!report) throw notFound('report', name)
  return report
}
