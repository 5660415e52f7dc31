/** Where the rows come from: pasted, dropped or chosen. */
import { FileUp } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, useId, useRef, useState } from 'react'
import { FIELDS, RESOURCES, type ResourceName, resourceNamed } from '../export/fields.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { Alert, SelectField } from '../ui/field.tsx'
import { Card } from '../ui/primitives.tsx'
import css from './import.module.css'
import { readSource, type Source } from './read.ts'

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

type Props = {
  readonly resource: ResourceName
  readonly onResource: (resource: ResourceName) => void
  readonly onSource: (source: Source) => void
}

export const SourceForm = ({ resource, onResource, onSource }: Props) => {
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const [isOver, setOver] = useState(false)
  const file = useRef<HTMLInputElement>(null)
  const id = useId()
  const read = (input: string) => {
    try {
      onSource(readSource(input))
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : 'That could not be read')
    }
  }
  const readFile = async (chosen: File | undefined) => {
    if (!chosen) return
    // the name devices.json tells the resource.
    const named = RESOURCES.find((one) => chosen.name.toLowerCase().startsWith(one))
    if (named) onResource(named)
    read(await chosen.text())
  }
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text/plain')
    // Into an empty field: it is all of it, and a field full of thousands of lines is of use to nobody.
    if (text !== '' || !pasted.trim().includes('\n')) return
    event.preventDefault()
    read(pasted)
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
          read(text)
        }}
      >
        <SelectField
          label="Resource"
          value={resource}
          onChange={(value) => onResource(resourceNamed(value) ?? 'devices')}
          options={RESOURCES.map((one) => [one, capital(one)] as const)}
        />
        <label htmlFor={id} className={css.label}>
          CSV or JSON
        </label>
        <textarea
          id={id}
          className={cx('mono', css.paste)}
          data-over={isOver || undefined}
          aria-describedby={`${id}-hint`}
          spellCheck={false}
          placeholder={'Paste from a spreadsheet, or drop a file here\n\nname,ip,tags\nweb-1,10.0.0.5,prod;web'}
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
          The first line names the columns. Fields of {resource}: {Object.keys(FIELDS[resource]).join(', ')}. A row with
          the id of an object that is there changes it; without an id, the one object of the same name is meant.
        </p>
        {error !== undefined && <Alert>{error}</Alert>}
        <div className={css.actions}>
          <Button type="submit" look="primary" disabled={text.trim() === ''}>
            Continue
          </Button>
          <Button onClick={() => file.current?.click()}>
            <FileUp size={15} aria-hidden="true" />
            Choose a file
          </Button>
          <input
            ref={file}
            type="file"
            hidden
            aria-label="File"
            accept=".csv,.tsv,.json,.ndjson,.jsonl,text/csv,application/json"
            onChange={(event) => void readFile(event.target.files?.[0])}
          />
        </div>
      </form>
    </Card>
  )
}
