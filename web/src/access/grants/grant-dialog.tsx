/** Grants a role to a user or to a group, everywhere or in a scope. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { getFieldErrors, toAppError } from '../../api/errors.ts'
import { usePermit, usePermitted } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { Alert, SelectField } from '../../ui/field.tsx'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import { toast } from '../../ui/toast.tsx'
import css from '../access.module.css'
import { RIGHTS_CHANGES, rolesQuery, scopesQuery } from '../queries.ts'
import { filterMissing, formatMissing } from '../roles/matrix.ts'
import type { Scope } from '../types.ts'
import { formatHolder, formatRole, type Holder } from './holder.ts'
import { HolderChoice } from './holder-choice.tsx'

/** The parts of the grant that the page decides. */
export type Given = {
  readonly role?: { readonly id: string; readonly name: string }
  readonly holder?: Holder
  readonly scope?: { readonly id: string; readonly name: string }
}

const formatTitle = ({ role, holder, scope }: Given): string => {
  if (holder) return `Grant ${holder.name} a role`
  if (scope) return `Grant a role in ${scope.name}`
  return role ? `Grant the role ${role.name}` : 'Grant a role'
}

type RoleFieldProps = {
  readonly value: string
  readonly onChange: (id: string) => void
  readonly error: string | undefined
}

const RoleField = ({ value, onChange, error }: RoleFieldProps) => {
  const { may } = usePermit()
  const { data = [] } = useQuery({ ...rolesQuery, enabled: may('roles:list') })
  const role = data.find(({ id }) => id === value)
  return (
    <SelectField
      label="Role"
      hint={role ? (formatMissing(filterMissing(role.permissions, may)) ?? role.description) : undefined}
      error={error}
      value={value}
      onChange={onChange}
      options={[['', 'Choose a role'], ...data.map(({ id, name }) => [id, name] as const)]}
    />
  )
}

const IN_SCOPE = 'In a scope, a role counts for the inventory there. Its permissions for anything else do not count.'

type ScopeFieldProps = RoleFieldProps & { readonly scopes: readonly Scope[] }

const ScopeField = ({ scopes, value, onChange, error }: ScopeFieldProps) => (
  <SelectField
    label="Where"
    hint={value === '' ? undefined : IN_SCOPE}
    error={error}
    value={value}
    onChange={onChange}
    options={[['', 'Everywhere'], ...scopes.map(({ id, name }) => [id, `In ${name}`] as const)]}
  />
)

const NONE: readonly Scope[] = []

type Props = { readonly given: Given; readonly onClose: () => void }

export const GrantDialog = ({ given, onClose }: Props) => {
  const client = useQueryClient()
  const [roleId, setRoleId] = useState(given.role?.id ?? '')
  const [holder, setHolder] = useState(given.holder)
  const [scopeId, setScopeId] = useState(given.scope?.id ?? '')
  const { data: scopes = NONE } = usePermitted('scopes:list', scopesQuery)
  const grant = useMutation({
    mutationFn: () =>
      api.grants.create({
        role_id: roleId,
        ...(holder?.user_id === undefined ? {} : { user_id: holder.user_id }),
        ...(holder?.group_id === undefined ? {} : { group_id: holder.group_id }),
        ...(scopeId === '' ? {} : { scope_id: scopeId }),
      }),
    onSuccess: (made) => {
      toast(`Granted ${formatRole(made)} to ${formatHolder(made)}`)
      for (const key of RIGHTS_CHANGES) void client.invalidateQueries({ queryKey: [key] })
      onClose()
    },
  })
  const { role_id, user_id, group_id, scope_id } = getFieldErrors(grant.error)
  const ofHolder = user_id ?? group_id
  const hasScope = given.scope === undefined && scopes.length > 0
  const isAtField =
    (!given.role && role_id !== undefined) ||
    (!given.holder && ofHolder !== undefined) ||
    (hasScope && scope_id !== undefined)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    grant.mutate()
  }
  return (
    <Dialog title={formatTitle(given)} onClose={onClose}>
      <form className={css.dialogForm} onSubmit={submit}>
        {grant.isError && !isAtField && <Alert>{toAppError(grant.error).message}</Alert>}
        {!given.role && <RoleField value={roleId} onChange={setRoleId} error={role_id} />}
        {!given.holder && <HolderChoice value={holder} onChange={setHolder} error={ofHolder} />}
        {hasScope && <ScopeField scopes={scopes} value={scopeId} onChange={setScopeId} error={scope_id} />}
        {given.scope && <p className={css.note}>{IN_SCOPE}</p>}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={grant.isPending || roleId === '' || !holder}>
            Grant
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
