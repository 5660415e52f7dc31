/** Writes the rows that a table shows, all of them and no others, to a file that an import takes. */
import { Download } from 'lucide-react'
import { isPast } from '../api/as-of.ts'
import { RESOURCE_NAMES } from '../resource/facts/names.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { Menu, MenuGroup, MenuItem, MenuLine } from '../ui/menu.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { save } from './save.ts'

type Props = {
  /** First part of the file's name: `networks`. */
  readonly name: string
  readonly count: number
  readonly load: () => Promise<readonly object[]>
  /** The path of the list, if it is too long for `load`. */
  readonly stream?: string | undefined
}

export const ExportMenu = ({ name, count, load, stream }: Props) => {
  // The list as an estate document, in whole.
  const hasCode = !isPast() && RESOURCE_NAMES.some((one) => one === name)
  const write = async (format: 'csv' | 'json') => {
    try {
      if (stream !== undefined) {
        const { streamRows } = await import('./stream-rows.ts')
        toast(`Exported ${plural(await streamRows(name, stream, format), 'row')}`)
        return
      }
      // Not with the first page: few export anything.
      const [rows, { formatRowsAsCsv, formatJson }] = await Promise.all([load(), import('./rows.ts')])
      const text = format === 'csv' ? formatRowsAsCsv(name, rows) : formatJson(name, rows)
      save(`${name}.${format}`, format === 'csv' ? 'text/csv;charset=utf-8' : 'application/json', text)
      toast(`Exported ${plural(rows.length, 'row')}`)
    } catch (error) {
      toastError('The rows could not be exported', error)
    }
  }
  const trigger = (
    <Button isIcon aria-label="Export" title="Export" disabled={count === 0}>
      <Download size={15} aria-hidden="true" />
    </Button>
  )
  return (
    <Menu trigger={trigger}>
      <MenuGroup label={`Export ${plural(count, 'row')}`}>
        <MenuItem onSelect={() => void write('csv')}>CSV</MenuItem>
        <MenuItem onSelect={() => void write('json')}>JSON</MenuItem>
      </MenuGroup>
      {hasCode && (
        <>
          <MenuLine />
          <MenuItem onSelect={() => void import('./save-code.ts').then(({ saveCode }) => saveCode(name))}>
            Export all as code
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
