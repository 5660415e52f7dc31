/** Changing one's password. It ends every session, this one too. */
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { getFieldErrors, toAppError } from '../api/errors.ts'
import { useMe } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Alert, TextField } from '../ui/field.tsx'
import { Card } from '../ui/primitives.tsx'
import { toast } from '../ui/toast.tsx'
import css from './account.module.css'

export const PasswordCard = ({ onChanged }: { readonly onChanged: () => void }) => {
  const { id, username } = useMe()
  const [current, setCurrent] = useState('')
  const [wanted, setWanted] = useState('')
  const change = useMutation({
    mutationFn: () => api.users.changePassword({ id, current_password: current, new_password: wanted }),
    onSuccess: () => {
      toast('Your password is changed', { description: 'Sign in with the new one.' })
      onChanged()
    },
  })
  const errors = getFieldErrors(change.error)
  const isElsewhere = change.isError && errors.new_password === undefined && errors.current_password === undefined
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <Card title="Password">
      <form className={css.form} onSubmit={submit}>
        {isElsewhere && <Alert>{toAppError(change.error).message}</Alert>}
        {/* Tells password managers the user of the password. */}
        <input type="text" autoComplete="username" value={username} readOnly hidden />
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          error={errors.current_password}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="8 characters or more. You are signed out everywhere. Your API keys stay valid."
          value={wanted}
          onChange={setWanted}
          error={errors.new_password}
        />
        <Button type="submit" disabled={change.isPending}>
          Change password
        </Button>
      </form>
    </Card>
  )
}
