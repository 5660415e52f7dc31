/** Making an API key, and the one time that it is shown. */
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { api } from '../api/client.ts'
import type { NewApiKey } from '../api/contracts.ts'
import { asAppError, fieldErrors } from '../api/errors.ts'
import { Button } from '../ui/button.tsx'
import { Alert, SelectField, TextField } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import css from './account.module.css'
import { SecretOnce } from './secret-once.tsx'

const DAY_MS = 24 * 3600 * 1000

const LIFETIMES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'One year'],
  ['', 'It does not expire'],
] as const

const expiryAfter = (days: string): string =>
  days === '' ? '' : new Date(Date.now() + Number(days) * DAY_MS).toISOString()

type NewKeyProps = {
  readonly onClose: () => void
  readonly onMade: (key: NewApiKey) => void
  /** Id and name of those whose key it may be, oneself first; without it, it is one's own. */
  readonly owners?: readonly (readonly [string, string])[] | undefined
  /** The feed whose content is all that the key opens. */
  readonly feedId?: string | undefined
}

export const NewKeyDialog = ({ onClose, onMade, owners, feedId }: NewKeyProps) => {
  const [name, setName] = useState('')
  const [days, setDays] = useState('90')
  const [owner, setOwner] = useState(owners?.[0]?.[0] ?? '')
  const make = useMutation({
    mutationFn: () =>
      api.keys.create({
        ...{ name, expires_at: expiryAfter(days) },
        ...(owners ? { user_id: owner } : {}),
        ...(feedId === undefined ? {} : { feed_id: feedId }),
      }),
    onSuccess: onMade,
  })
  const errors = fieldErrors(make.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <Dialog title="New API key" onClose={onClose}>
      <form className={css.dialogForm} onSubmit={submit}>
        {make.isError && errors.name === undefined && errors.user_id === undefined && (
          <Alert>{asAppError(make.error).message}</Alert>
        )}
        <TextField
          label="Name"
          hint="The program that uses the key."
          value={name}
          onChange={setName}
          error={errors.name}
          required
        />
        {owners && (
          <SelectField
            label="Owner"
            hint="The key has the permissions of its owner."
            value={owner}
            onChange={setOwner}
            options={owners}
            error={errors.user_id}
          />
        )}
        <SelectField label="Lifetime" value={days} onChange={setDays} options={LIFETIMES} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={make.isPending}>
            Create key
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

export const ShownOnce = ({ made, onClose }: { readonly made: NewApiKey; readonly onClose: () => void }) => (
  <SecretOnce
    title={`The key “${made.name}”`}
    text="Copy it now: it is shown only once. Plat stores only a hash of it."
    secret={made.key}
    onClose={onClose}
  />
)
