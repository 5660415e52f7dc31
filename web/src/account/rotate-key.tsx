/** The dialog that gives a key a new value. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import type { ApiKey, NewApiKey } from '../api/contracts.ts'
import { FormDialog } from '../resource/form/form-dialog.tsx'
import { SelectField } from '../ui/field.tsx'

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
  return (
    <FormDialog
      title={`Rotate the key “${name}”`}
      action="Rotate key"
      isBlocked={rotate.isPending}
      error={rotate.error}
      onSubmit={rotate.mutate}
      onClose={onClose}
    >
      <p>The key gets a new value. Its name, limits and expiry stay.</p>
      <SelectField
        label="The old value stays valid"
        hint="An earlier value ends at once."
        value={overlap}
        onChange={setOverlap}
        options={OVERLAPS}
      />
    </FormDialog>
  )
}
