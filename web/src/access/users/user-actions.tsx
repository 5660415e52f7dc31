/** Actions on a user besides editing: password, activation, deletion. Each asks first, and shows a refusal. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { SecretOnce } from '../../account/secret-once.tsx'
import { api } from '../../api/client.ts'
import { getFieldErrors } from '../../api/errors.ts'
import { FormDialog } from '../../resource/form/form-dialog.tsx'
import { useMe } from '../../shell/me.ts'
import { toast } from '../../ui/toast.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { RIGHTS_CHANGES } from '../queries.ts'
import type { User } from '../types.ts'
import { PasswordField } from './password-field.tsx'

export type UserAction = 'password' | 'factors' | 'toggle'

type Props = { readonly user: User; readonly onClose: () => void }

const ResetPassword = ({ user, onClose }: Props) => {
  const client = useQueryClient()
  const { id } = useMe()
  const [password, setPassword] = useState('')
  const reset = useMutation({
    mutationFn: () => api.users.resetPassword({ id: user.id, new_password: password }),
    onSuccess: () => {
      toast(`${user.username} has a new password`)
      void client.invalidateQueries({ queryKey: ['sessions'] })
    },
  })
  const errors = getFieldErrors(reset.error)
  if (reset.isSuccess) return <PasswordOnce username={user.username} password={password} onClose={onClose} />
  return (
    <FormDialog
      title={`New password for ${user.username}`}
      action="Set password"
      isBlocked={reset.isPending}
      error={errors.new_password === undefined && reset.error}
      onSubmit={reset.mutate}
      onClose={onClose}
    >
      <p>
        {user.id === id ? 'You are' : `${user.username} is`} signed out everywhere. API keys that somebody else has made
        end, the own ones live on.
      </p>
      <PasswordField label="New password" value={password} onChange={setPassword} error={errors.new_password} />
    </FormDialog>
  )
}

type OnceProps = { readonly username: string; readonly password: string; readonly onClose: () => void }

export const PasswordOnce = ({ username, password, onClose }: OnceProps) => (
  <SecretOnce
    title={`The password of ${username}`}
    text="Copy it now: it is shown only once. Plat stores only a hash of it."
    secret={password}
    onClose={onClose}
  />
)

const Toggle = ({ user, onClose }: Props) => {
  const { id, username, is_active } = user
  return (
    <ActionDialog
      title={is_active ? `Deactivate ${username}?` : `Activate ${username}?`}
      action={is_active ? 'Deactivate' : 'Activate'}
      isDanger={is_active}
      run={() => api.users.update({ id, is_active: !is_active })}
      done={is_active ? `${username} is out` : `${username} may sign in again`}
      changes={RIGHTS_CHANGES}
      onClose={onClose}
    >
      {is_active
        ? 'All sessions end at once, and API keys are refused until the user is active again.'
        : 'The user can sign in again, and the API keys work again. Earlier sessions stay ended.'}
    </ActionDialog>
  )
}

const ResetFactors = ({ user: { id, username }, onClose }: Props) => (
  <ActionDialog
    title={`Remove the second factors of ${username}?`}
    action="Remove factors"
    isDanger
    run={() => api.factors.reset({ id })}
    done={`${username} has no second factor now`}
    changes={RIGHTS_CHANGES}
    onClose={onClose}
  >
    For a user who has lost them. {username} is signed out everywhere, and signs in with the password alone.
  </ActionDialog>
)

type DeleteProps = Props & { readonly onDone?: () => unknown }

export const DeleteUser = ({ user, onClose, onDone }: DeleteProps) => (
  <ActionDialog
    title={`Delete ${user.username}?`}
    action="Delete user"
    isDanger
    run={() => api.users.delete({ id: user.id })}
    done={`Deleted ${user.username}`}
    changes={RIGHTS_CHANGES}
    onClose={onClose}
    onDone={onDone}
  >
    All API keys and sessions are deleted too. The actions of the user stay in the audit log. This can't be undone.
  </ActionDialog>
)

type ActionProps = Props & { readonly action: UserAction }

const DIALOGS = { password: ResetPassword, factors: ResetFactors, toggle: Toggle } as const

export const UserActionDialog = ({ action, ...props }: ActionProps) => {
  const Chosen = DIALOGS[action]
  return <Chosen {...props} />
}
