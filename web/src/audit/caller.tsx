/** The caller of an entry: a user, or an API key with its owner. */
import { KeyRound } from 'lucide-react'
import type { AuditEntry } from '../api/contracts.ts'
import css from './audit.module.css'

type Props = { readonly entry: Pick<AuditEntry, 'username' | 'key_owner'> }

export const Caller = ({ entry: { username, key_owner } }: Props) => {
  if (username === '') return <span className="muted">–</span>
  if (key_owner === '') return <>{username}</>
  return (
    <span className={css.caller} title={`API key of ${key_owner}`}>
      <KeyRound size={13} aria-label="API key" /> {username} <span className="muted">of {key_owner}</span>
    </span>
  )
}
