/** Replaces the input of an operation. A field that is no text is edited as JSON. */
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { AppError } from '../../../src/contract/errors.ts'
import { api } from '../api/client.ts'
import { getFieldErrors, toAppError } from '../api/errors.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert, TextArea, TextField } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { formatInput, formatOperation, parseInput } from './labels.ts'
import { type Operation, refreshProposals } from './queries.ts'

type Input = NonNullable<Operation['input']>
type Texts = Readonly<Record<string, string>>

/** @throws AppError VALIDATION_ERROR, which names a field that is not JSON */
const readTexts = (texts: Texts, before: Input): Input =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      try {
        return [name, parseInput(text, before[name])]
      } catch {
        const message = 'must be JSON, such as 12, true, null or ["a"]'
        throw new AppError('VALIDATION_ERROR', 'A field is not JSON', { details: [{ field: name, message }] })
      }
    }),
  )

/** The field of the input that an error is about. @example findField('input.addresses[0].ip') // 'addresses' */
const findField = (field: string): string => field.replace(/^input\./, '').split(/[.[]/)[0] ?? field

/** A longer text has more lines. */
const LINE = 60

type Props = { readonly id: string; readonly operation: Operation; readonly input: Input; readonly onClose: () => void }

export const EditOperation = ({ id, operation, input, onClose }: Props) => {
  const [texts, setTexts] = useState<Texts>(() =>
    Object.fromEntries(Object.entries(input).map(([name, value]) => [name, formatInput(value)])),
  )
  const save = useMutation({
    mutationFn: async () =>
      api.proposals.replaceOperation({ id, operation_id: operation.id, input: readTexts(texts, input) }),
    onSuccess: () => {
      refreshProposals()
      onClose()
    },
  })
  // Before the first change, the errors of the last run are shown.
  const refusal =
    save.error ?? (operation.error && new AppError(operation.error.code, operation.error.error, operation.error))
  const errors = Object.fromEntries(
    Object.entries(getFieldErrors(refusal ?? undefined)).map(([field, message]) => [findField(field), message]),
  )
  const isKnown = Object.keys(errors).some((name) => name in texts)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog title={formatOperation(operation)} onClose={onClose} isWide>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {refusal && !isKnown && <Alert>{toAppError(refusal).message}</Alert>}
        {Object.entries(texts).map(([name, text]) => {
          const field = {
            label: name,
            value: text,
            error: errors[name],
            onChange: (next: string) => setTexts({ ...texts, [name]: next }),
          }
          return text.length > LINE ? <TextArea key={name} {...field} /> : <TextField key={name} {...field} isMono />
        })}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={save.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
