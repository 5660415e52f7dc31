/** Corrects a refused row: the cells of a spreadsheet, or the values of another row. */
import { type SubmitEvent, useState } from 'react'
import tableCss from '../../table/table.module.css'
import { Button } from '../../ui/button.tsx'
import { Alert, TextArea, TextField } from '../../ui/field.tsx'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import type { Row } from '../draft.ts'

/** A longer text has an area. */
const MAX_LINE = 80

export type Cell = {
  readonly label: string
  readonly value: string
  /** Several cells of one row of the file. */
  readonly group?: string
}

type Props = {
  readonly title: string
  readonly messages: readonly string[]
  readonly cells: readonly Cell[]
  /** @throws SyntaxError for a value that cannot be read */
  readonly onSave: (values: readonly string[]) => void
  readonly onClose: () => void
}

export const CorrectDialog = ({ title, messages, cells, onSave, onClose }: Props) => {
  const [values, setValues] = useState(() => cells.map(({ value }) => value))
  const [error, setError] = useState<string>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    try {
      onSave(values)
      onClose()
    } catch (cause) {
      setError(cause instanceof SyntaxError ? cause.message : 'This cannot be read')
    }
  }
  return (
    <Dialog title={title} onClose={onClose} isWide>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {messages.map((message) => (
          <Alert key={message}>{message}</Alert>
        ))}
        {error !== undefined && <Alert>{error}</Alert>}
        {cells.map(({ label, value: before, group }, at) => {
          const Control = before.length > MAX_LINE || before.includes('\n') ? TextArea : TextField
          return (
            <Control
              // Two columns may have one name.
              // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place
              key={at}
              label={group === undefined ? label : `${label}, ${group}`}
              value={values[at] ?? ''}
              onChange={(value) => setValues(values.map((old, other) => (other === at ? value : old)))}
            />
          )
        })}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Check again
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Returns the values of a row as texts: other values than texts as JSON. */
export const toTexts = (row: Row): [field: string, text: string][] =>
  Object.entries(row).map(([field, value]) => [field, typeof value === 'string' ? value : JSON.stringify(value)])

/** @throws SyntaxError for a value that is no JSON where it was one; an empty text leaves the value out */
export const fromTexts = (row: Row, texts: readonly string[]): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([field, before], at): [string, unknown][] => {
      const text = texts[at] ?? ''
      if (text.trim() === '') return []
      if (typeof before === 'string') return [[field, text]]
      try {
        return [[field, JSON.parse(text) as unknown]]
      } catch {
        throw new SyntaxError(`${field} must be JSON, like ${JSON.stringify(before)}`)
      }
    }),
  )
