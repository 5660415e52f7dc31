/** Making an API key, and the one time that it is shown. */
import { useMutation } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { type SubmitEvent, useId, useState } from 'react'
import { api } from '../api/client.ts'
import type { NewApiKey } from '../api/contracts.ts'
import { asAppError, fieldErrors } from '../api/errors.ts'
import { Button } from '../ui/button.tsx'
import { Alert, Checkbox, SelectField, TextField } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { toast } from '../ui/toast.tsx'
import css from './account.module.css'

const DAY_MS = 24 * 3600 * 1000

const LIFETIMES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'One year'],
  ['', 'It does not expire'],
] as const

const expiryAfter = (days: string): string =>
  days === '' ? '' : new Date(Date.now() + Number(days) * DAY_MS).toISOString()

type NewKeyProps = { readonly onClose: () => void; readonly onMade: (key: NewApiKey) => void }

export const NewKeyDialog = ({ onClose, onMade }: NewKeyProps) => {
  const [name, setName] = useState('')
  const [days, setDays] = useState('90')
  const make = useMutation({
    mutationFn: () => api.keys.create({ name, expires_at: expiryAfter(days) }),
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
        {make.isError && errors.name === undefined && <Alert>{asAppError(make.error).message}</Alert>}
        <TextField
          label="Name"
          hint="What will use it, so that you know later."
          value={name}
          onChange={setName}
          error={errors.name}
          required
        />
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

/** Closes only by the one who says that the key is kept: it can't be shown again. */
export const ShownOnce = ({ made, onClose }: { readonly made: NewApiKey; readonly onClose: () => void }) => {
  const [isSaved, setSaved] = useState(false)
  const id = useId()
  const copy = async () => {
    await navigator.clipboard.writeText(made.key)
    toast('Copied')
  }
  return (
    <Dialog title={`The key “${made.name}”`} onClose={() => isSaved && onClose()}>
      <p>Copy it now: it is shown this once, and Plat itself keeps only a fingerprint of it.</p>
      <div className={css.secret}>
        <code className="mono">{made.key}</code>
        <Button onClick={() => void copy()}>
          <Copy size={14} aria-hidden="true" />
          Copy
        </Button>
      </div>
      <label className={css.saved} htmlFor={id}>
        <Checkbox id={id} checked={isSaved} onChange={(event) => setSaved(event.target.checked)} />I have saved it
      </label>
      <DialogActions>
        <Button look="primary" disabled={!isSaved} onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
