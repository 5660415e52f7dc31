/** The source of an import: a tile for each format, a file that is dropped and recognized, or pasted text. */
import { FileUp } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, useId, useRef, useState } from 'react'
import { isExportAsCsv } from '../../../src/convert/formats.ts'
import type { Converted } from '../../../src/convert/protocol.ts'
import { getNoun } from '../../../src/record/history/kind-names.ts'
import { toAppError } from '../api/errors.ts'
import { findResource, RESOURCES, type ResourceName } from '../export/fields.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { Alert, SelectField, TextField } from '../ui/field.tsx'
import { Card } from '../ui/primitives.tsx'
import { convertFile } from './convert.ts'
import { type Draft, type SheetSource, toDraft } from './draft.ts'
import { findTile, GROUPS, getFormat, type Tile } from './formats.ts'
import css from './import.module.css'
import { isJson, readJsonRows } from './json-rows.ts'
import { NetboxForm } from './netbox-form.tsx'
import { INVENTORY_CREATES } from './permits.ts'

/** The bytes by which a file is recognized. */
const HEAD_BYTES = 4096
const SPREADSHEET = /\.(csv|tsv|xlsx)$/i
/** The name of a text that is pasted. */
const PASTED = 'the text'
const EXAMPLE = 'name,ip,tags\nweb-1,10.0.0.5,prod;web'

const findNamed = (name: string): ResourceName | undefined =>
  RESOURCES.find((one) => name.toLowerCase().startsWith(one))

const withCapital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
const RESOURCE_OPTIONS = RESOURCES.map((one) => [one, `${withCapital(getNoun(one))}s`] as const)

const isXml = (text: string): boolean => /^\ufeff?\s*</.test(text)
const isArchive = (head: Uint8Array): boolean => head[0] === 0x50 && head[1] === 0x4b && head[2] === 3

type Props = {
  readonly format: string | undefined
  readonly onFormat: (format: string | undefined) => void
  readonly onSheet: (name: string, sheet: SheetSource) => void
  readonly onDraft: (draft: Draft) => void
}

/** Names the sheet of a workbook that is read, and the other ones. */
const listSheets = ({ report: { warnings }, leftover = {} }: Converted): string[] => {
  const others = leftover.sheet ?? []
  return [
    ...warnings.map(({ message }) => message),
    ...(others.length > 0 ? [`Left: ${others.map((one) => `“${String(one)}”`).join(', ')}`] : []),
  ]
}

type Input = { readonly file: Blob; readonly name: string }

/** Reads a file of a tile, or recognizes it. */
const useReader = ({ onSheet, onDraft }: Pick<Props, 'onSheet' | 'onDraft'>) => {
  const [isReading, setReading] = useState(false)
  const [error, setError] = useState<string>()
  const read = async (
    { file, name }: Input,
    tile: Tile | undefined,
    given: { resource: ResourceName; origin: string },
  ) => {
    setError(undefined)
    setReading(true)
    try {
      const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
      const text = new TextDecoder().decode(head)
      const { signal } = new AbortController()
      const resource = findNamed(name) ?? given.resource
      const isRows = tile === undefined || tile.id === 'spreadsheet' || tile.id === 'json'
      const isSheet =
        !isArchive(head) &&
        (tile?.id === 'spreadsheet' ||
          (SPREADSHEET.test(name) && !isExportAsCsv(text)) ||
          (name === PASTED && !isXml(text)))
      const isJsonRows = tile?.id === 'json' || (isRows && isSheet && isJson(text))
      const format = isRows ? (isSheet ? 'csv' : undefined) : getFormat(tile)
      const convert = (as: string | undefined) =>
        convertFile(file, { format: as, origin: given.origin, resource, signal })
      const known = isJsonRows ? undefined : await convert(format)
      // Any other text may be rows.
      const converted = known ?? (isJson(text) ? undefined : await convert('csv'))
      if (converted?.sheet)
        onSheet(name, {
          ...{ resource, cells: converted.sheet, mapping: {}, clearsEmpty: false },
          otherSheets: listSheets(converted),
        })
      else if (converted) onDraft(toDraft(name, converted))
      else onDraft(readJsonRows(await file.text(), resource, name))
    } catch (cause) {
      setError(cause instanceof SyntaxError ? cause.message : toAppError(cause).message)
    } finally {
      setReading(false)
    }
  }
  return { isReading, error, read }
}

const Tiles = ({ current, onChoose }: { current: string | undefined; onChoose: (id: string) => void }) => (
  <div className={css.groups}>
    {GROUPS.map(({ title, tiles }) => (
      <section key={title} aria-label={title}>
        <h2>{title}</h2>
        <ul className={css.tiles}>
          {tiles.map(({ id, text, note }) => (
            <li key={id}>
              <button type="button" className={css.tile} aria-pressed={id === current} onClick={() => onChoose(id)}>
                <b>{text}</b>
                <span className="muted">{note}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </div>
)

export const SourceStep = ({ format, onFormat, onSheet, onDraft }: Props) => {
  const tile = findTile(format)
  const { mayNow, blockedNow } = usePermit()
  const [resource, setResource] = useState<ResourceName>('devices')
  const [origin, setOrigin] = useState('')
  const [text, setText] = useState('')
  const [isOver, setOver] = useState(false)
  const file = useRef<HTMLInputElement>(null)
  const id = useId()
  const { isReading, error, read } = useReader({ onSheet, onDraft })
  const lacking = INVENTORY_CREATES.some(mayNow) ? undefined : blockedNow('devices:create')
  const given = { resource, origin }
  const isRows = tile === undefined || tile.id === 'spreadsheet' || tile.id === 'json'
  const readFile = (chosen: File | undefined) => {
    if (!chosen || lacking !== undefined) return
    void read({ file: chosen, name: chosen.name }, tile, given)
  }
  const readText = (pasted: string) => void read({ file: new Blob([pasted]), name: PASTED }, tile, given)
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text/plain')
    // Into an empty field: all of it is the source.
    if (!isRows || text !== '' || !pasted.trim().includes('\n') || lacking !== undefined) return
    event.preventDefault()
    readText(pasted)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    readFile(event.dataTransfer.files[0])
  }
  return (
    <>
      <Card>
        <form
          className={css.source}
          onSubmit={(event) => {
            event.preventDefault()
            readText(text)
          }}
          onDragOver={(event) => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={onDrop}
        >
          <h2>{tile ? tile.text : 'Drop a file, paste rows, or choose a format'}</h2>
          <div className={css.formats}>
            {isRows && (
              <SelectField
                label="Rows are"
                value={resource}
                onChange={(value) => setResource(findResource(value) ?? 'devices')}
                options={RESOURCE_OPTIONS}
              />
            )}
            {tile?.id === 'zone' && (
              <TextField
                label="Origin"
                hint="The origin of relative names, if the file has no $ORIGIN."
                value={origin}
                onChange={setOrigin}
              />
            )}
          </div>
          <label htmlFor={id} className={css.label}>
            {isRows ? 'Rows' : 'Text of the file'}
          </label>
          <textarea
            id={id}
            className={cx('mono', css.paste)}
            data-over={isOver || undefined}
            aria-describedby={`${id}-hint`}
            spellCheck={false}
            placeholder={isRows ? EXAMPLE : ''}
            value={text}
            onPaste={onPaste}
            onChange={(event) => setText(event.target.value)}
          />
          <p id={`${id}-hint`} className="muted">
            {isRows ? 'A line above the rows names the columns. ' : ''}
            The next pages show what was read and what would change. Nothing is changed before you confirm it.
          </p>
          {error !== undefined && <Alert>{error}</Alert>}
          <div className={css.actions}>
            <Button onClick={() => file.current?.click()} disabled={isReading} blocked={lacking} look="primary">
              <FileUp size={15} aria-hidden="true" />
              {isReading ? 'Reading …' : 'Choose a file'}
            </Button>
            <Button type="submit" disabled={isReading || text.trim() === ''} blocked={lacking}>
              Continue
            </Button>
            {tile && <Button onClick={() => onFormat(undefined)}>All formats</Button>}
            <input
              ref={file}
              type="file"
              hidden
              aria-label="File"
              onChange={(event) => {
                const [chosen] = event.target.files ?? []
                // The same file can be chosen again after an error.
                event.target.value = ''
                readFile(chosen)
              }}
            />
          </div>
        </form>
      </Card>
      {tile?.id === 'netbox' && <NetboxForm onDraft={onDraft} />}
      <Tiles current={tile?.id} onChoose={onFormat} />
    </>
  )
}
