/** The columns of a spreadsheet: the field of each, with samples of its cells. */
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { DESCRIBED } from '../../../src/base/sheets/described.ts'
import { MERGED_FIELD } from '../../../src/base/sheets/guess-columns.ts'
import { toAppError } from '../api/errors.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Combobox } from '../ui/combobox.tsx'
import { Alert, Checkbox } from '../ui/field.tsx'
import { plural } from '../ui/format.ts'
import { convertCells } from './convert.ts'
import { type Draft, listFilled, type SheetSource } from './draft.ts'
import css from './import.module.css'
import { keepMapping, loadMapping } from './kept-mapping.ts'
import { listFieldOptions } from './labels.ts'
import { MappingFile } from './mapping-file.tsx'
import { useCustomColumns } from './use-custom-columns.ts'

const SAMPLES = 3
const LEAVE = ''

type Choice = { readonly id: string; readonly text: string }

const listChoices = (resource: SheetSource['resource'], custom: readonly string[]): Choice[] => {
  const options = listFieldOptions(resource, custom).map(({ field, label }) => ({ id: field, text: label }))
  const described = options.some(({ id }) => id === 'description')
    ? [{ id: DESCRIBED, text: 'Into the description' }]
    : []
  return [...options, ...described, { id: LEAVE, text: 'Leave out' }]
}

const listSamples = ({ cells }: SheetSource, at: number): string =>
  [...new Set(cells.rows.map((row) => row[at]?.trim() ?? '').filter((cell) => cell !== ''))]
    .slice(0, SAMPLES)
    .join(' · ')

type ColumnProps = {
  readonly name: string
  readonly samples: string
  readonly value: string
  readonly choices: readonly Choice[]
  readonly onChange: (field: string) => void
}

const Column = ({ name, samples, value, choices, onChange }: ColumnProps) => {
  const [text, setText] = useState('')
  const words = text.trim().toLowerCase()
  return (
    <li data-unused={value === LEAVE || undefined}>
      <Combobox
        label={name}
        listLabel={`Fields for ${name}`}
        hint={samples || 'It is empty.'}
        value={choices.find(({ id }) => id === value)?.text ?? value}
        options={choices.filter((one) => one.text.toLowerCase().includes(words))}
        onType={(typed) => setText(typed ?? '')}
        onChoose={({ id }) => onChange(id)}
        none="No field has this name."
      />
    </li>
  )
}

/** Returns the field of each column, as the server understood them. */
const listGuessed = ({ cells }: SheetSource): string[] =>
  cells.columns.map(({ field, is_described }) => (field !== '' ? field : is_described ? DESCRIBED : LEAVE))

type Props = {
  readonly name: string
  readonly sheet: SheetSource
  readonly onDraft: (draft: Draft) => void
  readonly onBack: () => void
}

export const ColumnsStep = ({ name, sheet, onDraft, onBack }: Props) => {
  const { resource, cells } = sheet
  const custom = useCustomColumns(resource)
  const columns = cells.columns.map((column) => column.name)
  const [chosen, setChosen] = useState<readonly string[]>(() => loadMapping(resource, columns) ?? listGuessed(sheet))
  const [clearsEmpty, setClearsEmpty] = useState(sheet.clearsEmpty)
  const id = useId()
  const rows = listFilled(cells).rows.length
  const choices = listChoices(resource, custom)
  const mapping = () => Object.fromEntries(columns.map((column, at) => [column, chosen[at] ?? LEAVE]))
  const check = useMutation({
    mutationFn: () =>
      convertCells({ name, resource, cells, mapping: mapping(), clearsEmpty }, new AbortController().signal),
    onSuccess: onDraft,
  })
  const change = (next: readonly string[]) => {
    keepMapping(resource, columns, next)
    setChosen(next)
    check.reset()
  }
  // A field is filled from one column: the other one loses it. Addresses may be in several.
  const choose = (place: number, field: string) =>
    change(
      chosen.map((old, at) => {
        if (at === place) return field
        return old === field && field !== MERGED_FIELD && field !== DESCRIBED && field !== LEAVE ? DESCRIBED : old
      }),
    )
  return (
    <>
      <div className={tableCss.bar}>
        <b>
          {plural(rows, 'row')} of {name} as {resource}
        </b>
        <Button onClick={onBack}>Start over</Button>
        <MappingFile resource={resource} custom={custom} columns={columns} mapping={chosen} onChange={change} />
        <span className={tableCss.end}>
          <Button
            look="primary"
            onClick={() => check.mutate()}
            disabled={check.isPending || chosen.every((field) => field === LEAVE)}
          >
            {check.isPending ? 'Checking …' : 'Check'}
          </Button>
        </span>
      </div>
      <div className={css.step}>
        {sheet.otherSheets?.map((text) => (
          <p key={text}>{text}.</p>
        ))}
        {check.isError && <Alert>{toAppError(check.error).message}</Alert>}
        <label htmlFor={id} className={css.toggle}>
          <Checkbox id={id} checked={clearsEmpty} onChange={(event) => setClearsEmpty(event.target.checked)} />
          Empty cells clear their field
        </label>
        <ul className={css.mapping} aria-label="Columns">
          {columns.map((column, at) => (
            <Column
              // Two columns may have one name.
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
              key={at}
              name={column === '' ? `Column ${at + 1}` : column}
              samples={listSamples(sheet, at)}
              value={chosen[at] ?? LEAVE}
              choices={choices}
              onChange={(field) => choose(at, field)}
            />
          ))}
        </ul>
      </div>
    </>
  )
}
