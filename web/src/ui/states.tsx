/** Placeholders for content: nothing exists, nothing matches, no permission, or an error. */
import { CircleAlert, SearchX, ShieldAlert, WifiOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { findMissingPermission, toAppError } from '../api/errors.ts'
import { useMe } from '../shell/me.ts'
import { Button } from './button.tsx'
import css from './primitives.module.css'
import { toast } from './toast.tsx'

type StateProps = {
  readonly icon?: ReactNode
  readonly title: string
  readonly text?: ReactNode
  readonly children?: ReactNode
}

export const State = ({ icon, title, text, children }: StateProps) => (
  <div className={css.state}>
    <div className={css.stateBox}>
      {icon}
      <h2>{title}</h2>
      {text !== undefined && <p>{text}</p>}
      {children !== undefined && <div className={css.stateActions}>{children}</div>}
    </div>
  </div>
)

const ICON = 28

const Denied = ({ permission }: { readonly permission: string }) => {
  const { username, roles } = useMe()
  const copyRequest = async () => {
    await navigator.clipboard.writeText(
      `Please give ${username} the permission ${permission} in Plat (${location.href}).`,
    )
    toast('Copied')
  }
  return (
    <State
      icon={<ShieldAlert size={ICON} aria-hidden="true" />}
      title="You can't see this"
      text={
        <>
          This needs the permission <code className="mono">{permission}</code>. Your roles:{' '}
          {roles.length === 0 ? 'none' : roles.join(', ')}.
        </>
      }
    >
      <Button onClick={() => void copyRequest()}>Copy request for an admin</Button>
    </State>
  )
}

type FailureProps = { readonly error: unknown; readonly onRetry?: () => void; readonly noun?: string }

/** Shows an error instead of the content. */
export const Failure = ({ error, onRetry, noun = 'page' }: FailureProps) => {
  const { code, message } = toAppError(error)
  const permission = findMissingPermission(error)
  if (code === 'FORBIDDEN' && permission !== undefined) return <Denied permission={permission} />
  if (code === 'NOT_FOUND')
    return (
      <State
        icon={<SearchX size={ICON} aria-hidden="true" />}
        title={`There is no such ${noun}`}
        text="It may have been deleted, or the address is wrong."
      />
    )
  const isOffline = code === 'UNAVAILABLE'
  return (
    <State
      icon={isOffline ? <WifiOff size={ICON} aria-hidden="true" /> : <CircleAlert size={ICON} aria-hidden="true" />}
      title={isOffline ? 'The server does not answer' : 'That did not work'}
      text={
        <>
          {message} <code className="mono">{code}</code>
        </>
      }
    >
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </State>
  )
}
