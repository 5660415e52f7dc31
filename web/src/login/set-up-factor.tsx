/** Setting up the second factor that a role requires, before anything else opens. */
import { useMutation } from '@tanstack/react-query'
import { AddFactor } from '../account/add-factor.tsx'
import { postJson } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { toastError } from '../ui/toast.tsx'
import css from './login.module.css'

export const SetUpFactor = ({ onDone }: { readonly onDone: () => void }) => {
  const leave = useMutation({
    mutationFn: () => postJson('/api/auth/logout', {}),
    onSettled: () => location.assign('/login'),
  })
  return (
    <section className={css.card}>
      <h1>Set up a second factor</h1>
      <p>Your role requires one. From then on, you sign in with your password and the factor, or a passkey alone.</p>
      <AddFactor
        hasApp={false}
        onAdded={onDone}
        onError={(error) => toastError('The factor could not be added', error)}
      />
      <Button look="quiet" onClick={() => leave.mutate()}>
        Sign out
      </Button>
    </section>
  )
}
