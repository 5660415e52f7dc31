/** Replaces the input of an operation. A field that is no text is edited as JSON. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { AppError } from '../../../src/contract/errors.ts'
import { api } from '../api/client.ts'
import { getFieldErrors } from '../api/errors.ts'
import { FormDialog } from '../resource/form/form-dialog.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
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
  return (
    <FormDialog
      title={formatOperation(operation)}
      action="Save"
      isWide
      isBlocked={save.isPending}
      error={!isKnown && refusal}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      {Object.entries(texts).map(([name, text]) => {
        const field = {
          label: name,
          value: text,
          error: errors[name],
          onChange: (next: string) => setTexts({ ...texts, [name]: next }),
        }
        return text.length > LINE ? <TextArea key={name} {...field} /> : <TextField key={name} {...field} isMono />
      })}
    </FormDialog>
  )
}
