/** Writes the rows that a table shows, all of them and no others, to a file: for a spreadsheet, for an import, or as code. */
import { Download } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { isPast } from '../api/as-of.ts'
import { RESOURCE_NAMES } from '../resource/facts/names.ts'
import type { Column } from '../table/column.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { Menu, MenuGroup, MenuItem, MenuLine } from '../ui/menu.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { save } from './save.ts'

type Props<Row> = {
  /** The resource, and the first part of the file's name: `networks`. */
  readonly name: string
  /** The first part of the file's name, if it is not that of the resource. */
  readonly file?: string | undefined
  readonly count: number
  /** The visible columns in their order; absent where there is no table. */
  readonly columns?: readonly Column<Row>[]
  /** Loads the objects. */
  readonly load: () => Promise<readonly object[]>
  /** Converts objects to the rows of the columns; they are the same by default. */
  readonly toRows?: (objects: readonly object[]) => readonly Row[]
  /** The path of the list, if it is too long for `load`. */
  readonly stream?: string | undefined
}

const ShownRows = lazy(() => import('./shown.tsx').then((module) => ({ default: module.ShownRows }))) as Awaited<
  typeof import('./shown.tsx')
>['ShownRows']

export const ExportMenu = <Row,>({ name, file = name, count, columns = [], load, toRows, stream }: Props<Row>) => {
  // Without a function, the objects are the rows.
  const toOwnRows = toRows ?? ((objects: readonly object[]) => objects as readonly Row[])
  const [shown, setShown] = useState<readonly Row[]>()
  // The list as an estate document, in whole.
  const hasCode = !isPast() && RESOURCE_NAMES.some((one) => one === name)
  const tell = (rows: number) => toast(`Exported ${plural(rows, 'row')}`)
  const write = async (format: 'shown' | 'csv' | 'json') => {
    try {
      if (stream !== undefined) {
        const { streamRows } = await import('./stream-rows.ts')
        tell(await streamRows(name, stream, format === 'shown' ? { columns, toRows: toOwnRows } : format))
        return
      }
      if (format === 'shown') {
        setShown(toOwnRows(await load()))
        return
      }
      // Not with the first page: few export anything.
      const [rows, { formatRowsAsCsv, formatJson }] = await Promise.all([load(), import('./rows.ts')])
      const text = format === 'csv' ? formatRowsAsCsv(name, rows) : formatJson(name, rows)
      save(`${file}.${format}`, format === 'csv' ? 'text/csv;charset=utf-8' : 'application/json', text)
      tell(rows.length)
    } catch (error) {
      toastError('The rows could not be exported', error)
    }
  }
  const saveShown = (csv: string) => {
    save(`${file}.csv`, 'text/csv;charset=utf-8', csv)
    tell(shown?.length ?? 0)
    setShown(undefined)
  }
  const trigger = (
    <Button isIcon aria-label="Export" title="Export" disabled={count === 0}>
      <Download size={15} aria-hidden="true" />
    </Button>
  )
  return (
    <>
      <Menu trigger={trigger}>
        <MenuGroup label={`Export ${plural(count, 'row')}`}>
          {columns.length > 0 && <MenuItem onSelect={() => void write('shown')}>CSV as shown</MenuItem>}
          <MenuItem onSelect={() => void write('csv')}>CSV for import</MenuItem>
          <MenuItem onSelect={() => void write('json')}>JSON</MenuItem>
        </MenuGroup>
        {hasCode && (
          <>
            <MenuLine />
            <MenuItem onSelect={() => void import('./save-code.ts').then(({ saveCode }) => saveCode(name))}>
              As code
            </MenuItem>
          </>
        )}
      </Menu>
      {shown && (
        <Suspense>
          <ShownRows columns={columns} rows={shown} onDone={saveShown} />
        </Suspense>
      )}
    </>
  )
}
