/** `plat dns zone check`: prints the report, and exits by its result. */
import { send } from '../../platform/cli/client.ts'
import { getText, type Session, type Texts } from '../../platform/cli/command.ts'
import { createNames } from '../../platform/cli/names.ts'
import { present } from '../../platform/cli/present.ts'
import { createUsageError } from '../../platform/cli/usage-error.ts'
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
