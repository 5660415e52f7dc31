/** All ways to sign in: the providers of single sign-on, then a name and a password. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import buttonCss from '../ui/button.module.css'
import { Button } from '../ui/button.tsx'
import css from './login.module.css'
import { signInOptionsQuery } from './options.ts'
import { SignInForm } from './sign-in-form.tsx'

type Props = {
  readonly title: string
  /** The path to open after a sign-in by a provider. */
  readonly next: string
  /** The user who signs in again. */
  readonly username?: string
  readonly onSignedIn: () => void
  readonly children?: ReactNode
}

export const SignIn = ({ title, next, username = '', onSignedIn, children }: Props) => {
  const { data } = useQuery(signInOptionsQuery)
  const [isOpen, setOpen] = useState(false)
  const providers = data?.providers ?? []
  const isHidden = data?.password_for === 'break-glass' && providers.length > 0 && !isOpen
  return (
    <>
      {providers.length > 0 && (
        <section className={css.card} aria-label="Single sign-on">
          {isHidden && <h1>{title}</h1>}
          {isHidden && children}
          {providers.map(({ id, name, url }) => (
            <a
              key={id}
              className={`${buttonCss.button} ${buttonCss.primary} ${css.provider}`}
              href={`${url}?return_to=${encodeURIComponent(next)}`}
            >
              Sign in with {name}
            </a>
          ))}
        </section>
      )}
      {isHidden ? (
        <Button look="quiet" onClick={() => setOpen(true)}>
          Other ways
        </Button>
      ) : (
        <SignInForm title={title} username={username} onSignedIn={onSignedIn}>
          {children}
        </SignInForm>
      )}
    </>
  )
}
