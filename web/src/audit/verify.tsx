/** Verification of the audit trail: checks the chain of hashes for tampering and shows the result. */
import { useMutation } from '@tanstack/react-query'
import { ShieldAlert, ShieldCheck, X } from 'lucide-react'
import { api } from '../api/client.ts'
import type { Contracts, Out } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import css from './audit.module.css'

export type Verification = Out<Contracts['audit']['verify']>

export const useVerification = () => useMutation({ mutationFn: () => api.audit.verify() })

const Text = ({ result }: { readonly result: Verification }) => {
  const { set } = usePageSearch()
  const { ok, checked, signed, first_bad } = result
  if (ok)
    return (
      <span>
        <b>The log is intact.</b> {plural(checked, 'entry', 'entries')} checked; none was altered, added or removed.{' '}
        {signed
          ? 'Its ends are signed.'
          : 'Its ends are not signed: without ENCRYPTION_KEY, anyone who can write to the database could write a new log.'}
      </span>
    )
  return (
    <span>
      <b>The log was altered.</b> {plural(checked, 'entry', 'entries')} checked.{' '}
      {first_bad && <>The first wrong entry: {first_bad.reason}. </>}
      {first_bad && first_bad.id !== '' && (
        <button type="button" className="link" onClick={() => void set({ entry: first_bad.id })}>
          Show the entry
        </button>
      )}
    </span>
  )
}

type Props = { readonly verification: ReturnType<typeof useVerification> }

export const VerifyResult = ({ verification }: Props) => {
  const { data, error, isPending, isIdle, reset } = verification
  if (isIdle) return null
  const isBad = error !== null || data?.ok === false
  const Icon = isBad ? ShieldAlert : ShieldCheck
  return (
    <div
      className={css.verified}
      data-tone={isPending ? 'wait' : isBad ? 'bad' : 'ok'}
      role={isBad ? 'alert' : 'status'}
    >
      <Icon size={16} aria-hidden="true" />
      {isPending && <span>Computing all hashes again …</span>}
      {error && <span>It could not be checked. {toAppError(error).message}</span>}
      {data && <Text result={data} />}
      {!isPending && (
        <Button isIcon look="quiet" aria-label="Close the result" onClick={reset}>
          <X size={14} aria-hidden="true" />
        </Button>
      )}
    </div>
  )
}
