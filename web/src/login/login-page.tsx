/** Signing in; at the very first start it says where the password is. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { queryClient } from '../api/queries.ts'
import { CONSENT } from '../paths.ts'
import { Logo } from '../shell/logo.tsx'
import { useTitle } from '../shell/page.tsx'
import { Alert } from '../ui/field.tsx'
import css from './login.module.css'
import { signInOptionsQuery } from './options.ts'
import { SignIn } from './sign-in.tsx'
import { getSsoErrorText } from './sso-error.tsx'

const SetUpFactor = lazy(() => import('./set-up-factor.tsx').then((module) => ({ default: module.SetUpFactor })))

const route = getRouteApi('/login')

/** Only ever to a page of this UI: `//other.example` would be another host. */
const getSafeNext = (next: string | undefined): string => (next && /^\/(?![/\\])/.test(next) ? next : '/')

export const LoginPage = () => {
  useTitle('Sign in')
  const { next, expired, sso_error, setup } = route.useSearch()
  const failed = getSsoErrorText(sso_error)
  const router = useRouter()
  const { data: options } = useQuery(signInOptionsQuery)
  const after = getSafeNext(next)
  const isConsent = after.startsWith(`${CONSENT}?`)
  const signedIn = () => {
    queryClient.clear()
    // The consent page reads the parameters of the request as they were loaded.
    if (isConsent) location.assign(after)
    else router.history.push(after)
  }
  return (
    <main className={css.page}>
      <div className={css.box}>
        <div className={css.brand}>
          <Logo size={26} />
          Plat
        </div>
        {setup === undefined ? (
          <SignIn title={isConsent ? 'Sign in to continue' : 'Sign in'} next={after} onSignedIn={signedIn}>
            {failed && <Alert>{failed}</Alert>}
            {isConsent && (
              <p className="muted">
                A program asks for access to Plat in your name. Sign in to see which one, and its permissions.
              </p>
            )}
            {expired !== undefined && <Alert isWarning>Your session has ended. Sign in to continue.</Alert>}
          </SignIn>
        ) : (
          <Suspense>
            <SetUpFactor onDone={signedIn} />
          </Suspense>
        )}
        {options?.first_sign_in === true && options.password_for === undefined && (
          <p className={css.note}>
            The first time? The password of <b>admin</b> was printed in the terminal where Plat was started. To set a
            new one, run <code className="mono">plat user reset-password admin</code> on the server.
          </p>
        )}
      </div>
    </main>
  )
}
