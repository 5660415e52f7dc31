/** Reads the ids of the rows of a spreadsheet from one of its columns, and reports the rows that cannot be read. */
import type { ConvertReport, EstateDocument, EstateRow } from '../../../convert/converter.ts'
import type { ConvertedCells } from '../../../convert/protocol.ts'
import { SnapshotError } from '../source-kind.ts'

/** The rows that a report names. */
const MAX_NAMED = 20

/** A converted file, in memory. */
export type ReadFile = {
  readonly documents: EstateDocument
  readonly packs: readonly string[]
  readonly report: ConvertReport
  readonly sheet?: ConvertedCells
}

type SheetKeys = { readonly keys: ReadonlyMap<EstateRow, string>; readonly report: ConvertReport }

/** @param column '' for none. @throws SnapshotError for a column that is not there */
export const readSheetKeys = ({ documents, sheet, report }: ReadFile, column: string): SheetKeys => {
  const keys = new Map<EstateRow, string>()
  if (!sheet) return { keys, report }
  const { columns, numbers, rows, origins, rejected, unit } = sheet
  if (column !== '') {
    const at = columns.findIndex(({ name }) => name.trim().toLowerCase() === column.trim().toLowerCase())
    if (at === -1) throw new SnapshotError(`has no column ${column}, which options.key names`)
    const cells = new Map(rows.map((row, i) => [numbers[i], row[at] ?? '']))
    const [made = []] = Object.values(documents)
    for (const [i, row] of made.entries()) {
      const origin = origins[i]
      keys.set(row, cells.get(typeof origin === 'object' ? origin.rows[0] : origin) ?? '')
    }
  }
  const left = rejected.slice(0, MAX_NAMED).map(({ number, message }) => ({
    what: 'row',
    count: 1,
    why: `${unit} ${number}: ${message}`,
  }))
  if (rejected.length > MAX_NAMED)
    left.push({ what: 'row', count: rejected.length - MAX_NAMED, why: 'cannot be read either' })
  return { keys, report: { ...report, left: [...report.left, ...left] } }
}
