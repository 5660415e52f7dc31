/** Signs in again before a change of how one signs in, if the sign-in is older than the server permits. */
import { useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { isCode } from '../api/errors.ts'
import { meQuery } from '../api/queries.ts'
import { useMe } from '../shell/me.ts'
import { Dialog } from '../ui/layers.tsx'
import { toastError } from '../ui/toast.tsx'

/** Most changes need no sign-in. */
const SignIn = lazy(() => import('../login/sign-in.tsx').then((module) => ({ default: module.SignIn })))

type Fresh = {
  /** Handles the error of a change, and repeats one that needs a newer sign-in after it. */
  readonly onError: (error: unknown, again: () => void) => void
  /** To be rendered beside the change. */
  readonly layer: ReactNode
}

export const useFresh = (failed: string): Fresh => {
  const client = useQueryClient()
  const { username } = useMe()
  const [again, setAgain] = useState<() => void>()
  const signedIn = async () => {
    setAgain(undefined)
    const before = client.getQueryData(meQuery.queryKey)
    const now = await client.fetchQuery({ ...meQuery, staleTime: 0 })
    // Everything on the page belongs to the previous user.
    if (before && before.id !== now.id) location.reload()
    else again?.()
  }
  return {
    onError: (error, repeat) =>
      isCode(error, 'REAUTHENTICATION_REQUIRED') ? setAgain(() => repeat) : toastError(failed, error),
    layer: again && (
      <Dialog title="Sign in again" onClose={() => setAgain(undefined)}>
        <p>You change how you sign in. That needs a sign-in at most 15 minutes ago.</p>
        <Suspense>
          <SignIn title="" next="/account" username={username} onSignedIn={() => void signedIn()} />
        </Suspense>
      </Dialog>
    ),
  }
}
