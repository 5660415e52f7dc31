/** After an import: the message with its undo, and the devices that the list of devices shows selected. */
import { selectNext } from '../../devices/imported.ts'
import { devices } from '../../devices/window/device-list-client.ts'
import { createUndo } from '../../resource/object/undo.ts'
import { plural } from '../../ui/format.ts'
import { toast } from '../../ui/toast.tsx'
import type { Row } from '../draft.ts'

const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const markDevices = async (rows: readonly Row[]): Promise<void> => {
  await devices.reload()
  const called = rows.map((row) => {
    const [id, name] = [toText(row.id), toText(row.name)]
    return { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) }
  })
  selectNext(await devices.markImported(called))
}

export const landImport = async (
  rows: readonly Row[] | undefined,
  changeId: string | undefined,
  count: number,
): Promise<void> => {
  toast(`Imported ${plural(count, 'row')}`, createUndo([changeId]))
  if (rows && rows.length > 0) await markDevices(rows)
}
