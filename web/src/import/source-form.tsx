/** The source of an import: rows that are pasted, or a file of any format. */
import { FileUp } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, useId, useRef, useState } from 'react'
import { decodeSheetText } from '../../../src/base/sheets/decode-text.ts'
import { FORMATS, isExportAsCsv } from '../../../src/convert/formats.ts'
import { getNoun } from '../../../src/record/history/kind-names.ts'
import { toAppError } from '../api/errors.ts'
import { findResource, listColumnFields, RESOURCES, type ResourceName } from '../export/fields.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { Alert, SelectField, TextField } from '../ui/field.tsx'
import { Card } from '../ui/primitives.tsx'
import { type Conversion, convertFile } from './convert.ts'
import css from './import.module.css'
import { isArchive, readSource, readWorkbookFile, type Source } from './read.ts'
import { useCustomColumns } from './use-custom-columns.ts'

/** The format of rows, which are mapped here; the server converts all others. */
const ROWS = ''
const LABELS: Readonly<Record<string, string>> = {
  netbox: 'NetBox: dump, dumpdata or API',
  phpipam: 'phpIPAM: dump or JSON',
  rackd: 'rackd: SQLite file',
  nmap: 'nmap: XML',
  'isc-leases': 'Leases of ISC dhcpd',
  'kea-leases': 'Leases of Kea',
  'dnsmasq-leases': 'Leases of dnsmasq',
  zone: 'DNS zone file',
  hosts: 'Hosts file',
}
const OPTIONS: readonly (readonly [string, string])[] = [
  [ROWS, 'Told by the file'],
  ...FORMATS.filter((format) => format !== 'csv' && format !== 'xlsx').map(
    (format) => [format, LABELS[format] ?? format] as const,
  ),
]
const EXAMPLE = 'Paste from a spreadsheet, or drop a file here\n\nname,ip,tags\nweb-1,10.0.0.5,prod;web'
/** Spreadsheets are rows, unless they are exports of other programs. */
const SPREADSHEET = /\.(csv|tsv)$/i
/** The bytes by which an export is known. */
const HEAD_BYTES = 4096
/** The server converts no larger file. */
const MAX_CONVERTED = 256 * 1024 * 1024

const findNamed = (name: string): ResourceName | undefined =>
  RESOURCES.find((one) => name.toLowerCase().startsWith(one))

const withCapital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

type Props = {
  readonly resource: ResourceName
  readonly onResource: (resource: ResourceName) => void
  readonly onSource: (source: Source) => void
  readonly onConversion: (name: string, conversion: Conversion) => void
}

export const SourceForm = ({ resource, onResource, onSource, onConversion }: Props) => {
  const [format, setFormat] = useState(ROWS)
  const [origin, setOrigin] = useState('')
  const [isReading, setReading] = useState(false)
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const [isOver, setOver] = useState(false)
  const file = useRef<HTMLInputElement>(null)
  const isRows = format === ROWS
  const id = useId()
  const custom = useCustomColumns(resource)
  const read = async (make: () => Source | Promise<Source>, name?: string) => {
    try {
      onSource({ ...(await make()), name })
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : 'That could not be read')
    }
  }
  /** @returns false for a file that holds rows */
  const convert = async (file: Blob, name: string): Promise<boolean> => {
    setError(undefined)
    setReading(true)
    try {
      const { signal } = new AbortController()
      const conversion = await convertFile(file, { format, origin, resource: findNamed(name) ?? resource, signal })
      if (conversion) onConversion(name, conversion)
      return conversion !== undefined
    } catch (cause) {
      setError(toAppError(cause).message)
      return true
    } finally {
      setReading(false)
    }
  }
  const readFile = async (chosen: File | undefined) => {
    if (!chosen) return
    const isWorkbook = isRows && (await isArchive(chosen))
    const isExport = isRows && isExportAsCsv(await chosen.slice(0, HEAD_BYTES).text())
    const isSheet = isWorkbook || (SPREADSHEET.test(chosen.name) && !isExport) || chosen.size > MAX_CONVERTED
    const isSpreadsheet = isRows && isSheet
    if (!isSpreadsheet && (await convert(chosen, chosen.name))) return
    // the name devices.json tells the resource.
    const named = findNamed(chosen.name)
    if (named) onResource(named)
    const of = named ?? resource
    await read(
      async () =>
        isWorkbook
          ? readWorkbookFile(chosen, of)
          : readSource(decodeSheetText(new Uint8Array(await chosen.arrayBuffer())), of),
      chosen.name.replace(/\.[^.]*$/, ''),
    )
  }
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text/plain')
    // Into an empty field: it is all of it, and a field full of thousands of lines is of use to nobody.
    if (!isRows || text !== '' || !pasted.trim().includes('\n')) return
    event.preventDefault()
    void read(() => readSource(pasted, resource))
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void readFile(event.dataTransfer.files[0])
  }
  return (
    <Card>
      <form
        className={css.source}
        onSubmit={(event) => {
          event.preventDefault()
          if (isRows) void read(() => readSource(text, resource))
          else void convert(new Blob([text]), 'the text')
        }}
      >
        <div className={css.formats}>
          <SelectField label="Format" value={format} onChange={setFormat} options={OPTIONS} />
          {format === 'zone' && (
            <TextField label="Origin" hint="Of relative names, without $ORIGIN" value={origin} onChange={setOrigin} />
          )}
        </div>
        {isRows && (
          <SelectField
            label="Resource"
            value={resource}
            onChange={(value) => onResource(findResource(value) ?? 'devices')}
            options={RESOURCES.map((one) => [one, `${withCapital(getNoun(one))}s`] as const)}
          />
        )}
        <label htmlFor={id} className={css.label}>
          {isRows ? 'CSV or JSON' : 'Text of the file'}
        </label>
        <textarea
          id={id}
          className={cx('mono', css.paste)}
          data-over={isOver || undefined}
          aria-describedby={`${id}-hint`}
          spellCheck={false}
          placeholder={isRows ? EXAMPLE : 'Paste the text, or drop the file here'}
          value={text}
          onPaste={onPaste}
          onChange={(event) => setText(event.target.value)}
          onDragOver={(event) => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={onDrop}
        />
        <p id={`${id}-hint`} className="muted">
          {isRows
            ? `A line above the rows names the columns. Fields of ${resource}: ${listColumnFields(resource, custom).join(', ')}. A row with the id of an object that is there changes it; without an id, the one object of the same name is meant.`
            : 'The next page shows the objects that were read and the plan. Nothing is changed before you confirm it.'}
        </p>
        {error !== undefined && <Alert>{error}</Alert>}
        <div className={css.actions}>
          <Button type="submit" look="primary" disabled={isReading || text.trim() === ''}>
            Continue
          </Button>
          <Button onClick={() => file.current?.click()} disabled={isReading}>
            <FileUp size={15} aria-hidden="true" />
            {isReading ? 'Reading …' : 'Choose a file'}
          </Button>
          <input
            ref={file}
            type="file"
            hidden
            aria-label="File"
            onChange={(event) => {
              const [chosen] = event.target.files ?? []
              // The same file can be chosen again after an error.
              event.target.value = ''
              void readFile(chosen)
            }}
          />
        </div>
      </form>
    </Card>
  )
}
