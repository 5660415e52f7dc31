/** `plat dns zone check`: prints the report, and exits by its result. */
import { send } from '../../surfaces/cli/connection/client.ts'
import { present } from '../../surfaces/cli/output/present.ts'
import { getText, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createNames } from '../../surfaces/cli/parse/names.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { dnsZones } from './api.ts'
import type { DriftReport } from './schema.ts'

const DRIFTED = 5

/** @returns the exit code */
export const runCheck = async (session: Session, texts: Texts): Promise<number> => {
  const text = getText(texts, 'id')
  if (text === undefined) throw createUsageError('ID missing: the zone')
  const { transport } = await session.connect()
  const names = createNames(transport, await session.program.contracts())
  const id = await names.findId({ noun: 'dns-zones', field: 'id', text })
  const response = await send(transport, dnsZones.check, { id })
  // A success of the operation is a report.
  const { missing, changed } = (await response.clone().json()) as DriftReport
  const isShown = await present(session, { op: dnsZones.check, transport, response })
  if (!isShown) return 1
  return missing + changed > 0 ? DRIFTED : 0
}
