/** Making an API key, and the one time that it is shown. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, type SubmitEvent, Suspense, useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import type { NewApiKey } from '../api/contracts.ts'
import { getFieldErrors, toAppError } from '../api/errors.ts'
import { ChoiceField } from '../resource/form/choice-field.tsx'
import { ReferenceField } from '../resource/form/reference-field.tsx'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Alert, SelectField, TextField } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { Skeleton } from '../ui/primitives.tsx'
import css from './account.module.css'
import { listError, parseBlocks } from './labels.ts'
import { SecretOnce } from './secret-once.tsx'

const KeyPermissions = lazy(() => import('./key-limits.tsx').then((module) => ({ default: module.KeyPermissions })))

const UseWith = lazy(() => import('./use-with.tsx').then((module) => ({ default: module.UseWith })))

const DAY_MS = 24 * 3600 * 1000

const LIFETIMES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'One year'],
  ['', 'It does not expire'],
] as const

const RIGHTS = [
  ['all', 'All permissions of its owner'],
  ['some', 'Some permissions'],
] as const

const computeExpiry = (days: string): string =>
  days === '' ? '' : new Date(Date.now() + Number(days) * DAY_MS).toISOString()

type NewKeyProps = {
  readonly onClose: () => void
  readonly onMade: (key: NewApiKey) => void
  /** Id and name of the possible owners of the key, oneself first; without it, the key is one's own. */
  readonly owners?: readonly (readonly [string, string])[] | undefined
  /** The only feed with content that the key opens. */
  readonly feedId?: string | undefined
}

export const NewKeyDialog = ({ onClose, onMade, owners, feedId }: NewKeyProps) => {
  const [name, setName] = useState('')
  const [days, setDays] = useState('90')
  const [owner, setOwner] = useState(owners?.[0]?.[0] ?? '')
  const [rights, setRights] = useState<string>('all')
  const [held, setHeld] = useState<ReadonlySet<string>>(new Set())
  const [addresses, setAddresses] = useState('')
  const [scope, setScope] = useState('')
  const { may } = usePermit()
  const { data: scopes = [] } = useQuery({
    queryKey: ['scopes'],
    queryFn: () => api.scopes.list(),
    enabled: may('scopes:list'),
  })
  const blocks = parseBlocks(addresses)
  const make = useMutation({
    mutationFn: () =>
      api.keys.create({
        ...{ name, expires_at: computeExpiry(days) },
        ...(owners ? { user_id: owner } : {}),
        ...(feedId === undefined ? {} : { feed_id: feedId }),
        ...(rights === 'some' ? { permissions: [...held] } : {}),
        ...(scope === '' ? {} : { scope_id: scope }),
        ...(blocks.length > 0 ? { allowed_cidrs: [...blocks] } : {}),
      }),
    onSuccess: onMade,
  })
  const errors = getFieldErrors(make.error)
  const form = useRef<HTMLFormElement>(null)
  // The dialog may be scrolled to its end.
  useEffect(() => {
    if (make.error) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [make.error])
  const ofPermissions = listError(errors, 'permissions', [...held])
  const ofAddresses = listError(errors, 'allowed_cidrs', blocks)
  const shown = errors.name ?? errors.user_id ?? errors.scope_id ?? ofPermissions ?? ofAddresses
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <Dialog title="New API key" onClose={onClose} isWide={rights === 'some'}>
      <form ref={form} className={css.dialogForm} onSubmit={submit}>
        {make.isError && shown === undefined && <Alert>{toAppError(make.error).message}</Alert>}
        <TextField
          label="Name"
          hint="The program that uses the key."
          value={name}
          onChange={setName}
          error={errors.name}
          required
        />
        {owners && (
          <ChoiceField
            label="Owner"
            hint="The key has the permissions of its owner."
            value={owner}
            onChange={setOwner}
            choices={owners}
            error={errors.user_id}
          />
        )}
        <SelectField label="Lifetime" value={days} onChange={setDays} options={LIFETIMES} />
        <TextField
          label="Addresses"
          hint="From which the key works, such as 10.0.0.0/8. Without any, it works from everywhere."
          value={addresses}
          onChange={setAddresses}
          error={ofAddresses}
          isMono
        />
        {scopes.length > 0 && (
          <ReferenceField
            label="Scope"
            to="scopes"
            none="Everything"
            hint="The part of the estate that the key reaches."
            value={scope}
            onChange={setScope}
            error={errors.scope_id}
          />
        )}
        {feedId === undefined && (
          <SelectField
            label="Permissions"
            hint="A key with limits does not manage keys, sessions or its owner."
            value={rights}
            onChange={setRights}
            options={RIGHTS}
          />
        )}
        {rights === 'some' && (
          <Suspense fallback={<Skeleton />}>
            <KeyPermissions held={held} onChange={setHeld} error={ofPermissions} />
          </Suspense>
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={make.isPending}>
            Create key
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

export const ShownOnce = ({ made, onClose }: { readonly made: NewApiKey; readonly onClose: () => void }) => (
  <SecretOnce
    title={`The key “${made.name}”`}
    text="Copy it now: it is shown only once. Plat stores only a hash of it."
    secret={made.key}
    more={
      // A key of a feed opens nothing else.
      made.feed_id === null && (
        <Suspense>
          <UseWith apiKey={made.key} />
        </Suspense>
      )
    }
    onClose={onClose}
  />
)
