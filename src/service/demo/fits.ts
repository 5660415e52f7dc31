/** Finds out whether demo data of other numbers are there, before anything is sent: all have the same networks and addresses. */
import { join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { isRecord } from '../../contract/unknown.ts'
import { findSources } from '../../exchange/cli/cli-files.ts'
import { loadFile } from '../../exchange/cli/cli-import.ts'
import { datacenters } from '../../inventory/datacenters/api.ts'
import { call, type Transport } from '../../surfaces/cli/connection/client.ts'
import type { Session } from '../../surfaces/cli/parse/command.ts'
import type { Estate } from './estate.ts'

const hasEarlierEstate = async (transport: Transport, { datacenters: rows }: Estate): Promise<boolean> => {
  for (const { id } of rows)
    try {
      await call(transport, datacenters.get, { id })
      return true
    } catch (error) {
      if (!(error instanceof AppError && error.status === 404)) throw error
    }
  return false
}

/** The data, and the folder with their files. */
type Demo = { readonly estate: Estate; readonly folder: string }

/** @throws AppError ALREADY_EXISTS if the devices do not fit beside those of earlier demo data */
export const checkFits = async (session: Session, transport: Transport, { estate, folder }: Demo): Promise<void> => {
  if (!(await hasEarlierEstate(transport, estate))) return
  const { files } = await findSources(session.io, join(folder, 'devices.json'), undefined)
  const request = { io: session.io, transport, isDryRun: true, note: undefined, signal: session.io.interrupted() }
  for (const file of files) {
    const { failed, errors } = await loadFile(session, file, request)
    if (failed === 0) continue
    const [first] = Array.isArray(errors) ? errors.filter(isRecord) : []
    throw new AppError(
      'ALREADY_EXISTS',
      `nothing was changed: demo data of another --seed or --devices are there, and ${failed} of these devices do not fit beside them: ${String(first?.error ?? '')}. Give the numbers of the data that are there, or take an empty server`,
    )
  }
}
