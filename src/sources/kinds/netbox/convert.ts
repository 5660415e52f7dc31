/** Converts the pages of a NetBox as an import of it does. */
import { AppError } from '../../../contract/errors.ts'
import { convertObjects } from '../../../convert/netbox/netbox.ts'
import { type FetchPage, readNetboxApi } from '../../../convert/netbox/read/read-api.ts'
import { buildKeyedRows } from '../keyed-rows.ts'
import { addPackRows } from '../pack-rows.ts'
import { parseSnapshot } from '../parse.ts'
import { mergeReports } from '../reports.ts'
import { type ConvertMeans, type Json, SnapshotError, type SnapshotRows } from '../source-kind.ts'
import { Snapshot } from './snapshot.ts'

/** The source of the refs that the conversion makes. */
const OWN = 'netbox'

const replay = (pages: Snapshot['pages']): FetchPage => {
  const encoder = new TextEncoder()
  let at = 0
  return async () => {
    const page = pages[at++]
    if (!page) throw new SnapshotError('pages: the last ones are missing')
    return { status: page.status, body: encoder.encode(page.text) }
  }
}

export const convertNetboxPages = async (given: Json, { ref }: ConvertMeans): Promise<SnapshotRows> => {
  const { pages } = parseSnapshot(Snapshot, given)
  try {
    const {
      documents,
      packs = [],
      report,
    } = convertObjects(await readNetboxApi(replay(pages)), { withLeftover: false, withNames: false })
    const keyed = buildKeyedRows(addPackRows(documents, packs), { ref, own: OWN })
    return { ...keyed, hosts: [], report: mergeReports(report, keyed.report) }
  } catch (error) {
    if (error instanceof AppError) throw new SnapshotError(error.message, { cause: error })
    throw error
  }
}
