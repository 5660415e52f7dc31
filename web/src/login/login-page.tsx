/** Signing in; at the very first start it says where the password is. */
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { queryClient } from '../api/queries.ts'
import { Logo } from '../shell/logo.tsx'
import { useTitle } from '../shell/page.tsx'
import { Alert } from '../ui/field.tsx'
import css from './login.module.css'
import { SignInForm } from './sign-in-form.tsx'

const route = getRouteApi('/login')

/** Only ever to a page of this UI: `//other.example` would be another host. */
const safeNext = (next: string | undefined): string => (next && /^\/(?![/\\])/.test(next) ? next : '/')

export const LoginPage = () => {
  useTitle('Sign in')
  const { next, expired } = route.useSearch()
  const router = useRouter()
  const signedIn = () => {
    queryClient.clear()
    router.history.push(safeNext(next))
  }
  return (
    <main className={css.page}>
      <div className={css.box}>
        <div className={css.brand}>
          <Logo size={26} />
          Plat
        </div>
        <SignInForm title="Sign in" onSignedIn={signedIn}>
          {expired !== undefined && <Alert isWarning>Your session has ended. Sign in to continue.</Alert>}
        </SignInForm>
        <p className={css.note}>
          The first time? The password of <b>admin</b> was printed in the terminal where Plat was started. To set a new
          one, run <code className="mono">plat user reset-password admin</code> on the server.
        </p>
      </div>
    </main>
  )
}
