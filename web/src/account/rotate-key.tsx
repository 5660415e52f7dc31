/** The dialog that gives a key a new value. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { api } from '../api/client.ts'
import type { ApiKey, NewApiKey } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { Button } from '../ui/button.tsx'
import { Alert, SelectField } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import css from './account.module.css'

/** Seconds, and their text. */
const OVERLAPS = [
  ['0', 'Not at all'],
  ['60', 'One minute'],
  ['3600', 'One hour'],
  ['86400', 'One day'],
  ['604800', 'Seven days'],
] as const

type Props = {
  readonly apiKey: Pick<ApiKey, 'id' | 'name'>
  readonly onClose: () => void
  readonly onRotated: (key: NewApiKey) => void
}

export const RotateKeyDialog = ({ apiKey: { id, name }, onClose, onRotated }: Props) => {
  const client = useQueryClient()
  const [overlap, setOverlap] = useState('3600')
  const rotate = useMutation({
    mutationFn: () => api.keys.rotate({ id, overlap_seconds: Number(overlap) }),
    onSuccess: (key) => {
      onClose()
      onRotated(key)
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    rotate.mutate()
  }
  return (
    <Dialog title={`Rotate the key “${name}”`} onClose={onClose}>
      <form className={css.dialogForm} onSubmit={submit}>
        {rotate.isError && <Alert>{toAppError(rotate.error).message}</Alert>}
        <p>The key gets a new value. Its name, limits and expiry stay.</p>
        <SelectField
          label="The old value stays valid"
          hint="An earlier value ends at once."
          value={overlap}
          onChange={setOverlap}
          options={OVERLAPS}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={rotate.isPending}>
            Rotate key
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
