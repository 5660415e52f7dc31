/** Reads a NetBox by its URL and a token. */
import { type SubmitEvent, useState } from 'react'
import { getFieldErrors, toAppError } from '../api/errors.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Alert, TextField } from '../ui/field.tsx'
import { Card } from '../ui/primitives.tsx'
import { pullNetbox } from './convert.ts'
import type { Draft } from './draft.ts'
import css from './import.module.css'

type Props = { readonly onDraft: (draft: Draft) => void }

export const NetboxForm = ({ onDraft }: Props) => {
  const { blockedNow } = usePermit()
  const [url, setUrl] = useState('')
  const [token, setToken] = useState('')
  const [isReading, setReading] = useState(false)
  const [error, setError] = useState<unknown>()
  const errors = getFieldErrors(error)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setReading(true)
    setError(undefined)
    try {
      onDraft(await pullNetbox(url.trim(), token.trim(), new AbortController().signal))
    } catch (cause) {
      setError(cause)
    } finally {
      setReading(false)
    }
  }
  return (
    <Card title="A NetBox by its URL">
      <form className={css.source} onSubmit={(event) => void submit(event)}>
        {error !== undefined && !errors.url && !errors.token && <Alert>{toAppError(error).message}</Alert>}
        <div className={css.formats}>
          <TextField
            label="URL"
            placeholder="https://netbox.example.com"
            value={url}
            onChange={setUrl}
            error={errors.url}
          />
          <TextField
            label="API token"
            type="password"
            autoComplete="new-password"
            hint="It is used once and not stored."
            value={token}
            onChange={setToken}
            error={errors.token}
          />
        </div>
        <div className={css.actions}>
          <Button
            type="submit"
            disabled={isReading || url.trim() === '' || token.trim() === ''}
            blocked={blockedNow('devices:create')}
          >
            {isReading ? 'Reading …' : 'Read the NetBox'}
          </Button>
        </div>
      </form>
    </Card>
  )
}
