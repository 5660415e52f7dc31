/** Grants a role to a user or to a group, everywhere or in a scope. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { getFieldErrors } from '../../api/errors.ts'
import { FormDialog } from '../../resource/form/form-dialog.tsx'
import { usePermitted } from '../../shell/me.ts'
import { toast } from '../../ui/toast.tsx'
import css from '../access.module.css'
import { RIGHTS_CHANGES, scopesQuery } from '../queries.ts'
import { confirmAdmin } from './admin-question.tsx'
import { createUndoOfGrant } from './change-grants.ts'
import { formatHolder, formatRole, type Holder, nameHolder } from './holder.ts'
import { HolderChoice } from './holder-choice.tsx'
import { IN_SCOPE, RoleField, WhereField } from './role-fields.tsx'

/** The parts of the grant that the page decides. */
export type Given = {
  readonly role?: { readonly id: string; readonly name: string }
  readonly holder?: Holder
  readonly scope?: { readonly id: string; readonly name: string }
}

const formatTitle = ({ role, holder, scope }: Given): string => {
  if (holder) return 'Add a role'
  if (scope) return `Grant a role in ${scope.name}`
  return role ? `Grant the role ${role.name}` : 'Grant a role'
}

type Props = { readonly given: Given; readonly onClose: () => void }

export const GrantDialog = ({ given, onClose }: Props) => {
  const client = useQueryClient()
  const [roleId, setRoleId] = useState(given.role?.id ?? '')
  const [holder, setHolder] = useState(given.holder)
  const [scopeId, setScopeId] = useState(given.scope?.id ?? '')
  const { data: scopes } = usePermitted('scopes:list', scopesQuery)
  const grant = useMutation({
    mutationFn: async () => {
      const wanted = { role_id: roleId, ...(scopeId !== '' && { scope_id: scopeId }) }
      if (!holder || !(await confirmAdmin(wanted, nameHolder(holder)))) return undefined
      const { user_id, group_id } = holder
      return api.grants.create({ ...wanted, ...(user_id === undefined ? { group_id } : { user_id }) })
    },
    onSuccess: (made) => {
      if (!made) return
      toast(`Granted ${formatRole(made)} to ${formatHolder(made)}`, createUndoOfGrant(made))
      for (const key of RIGHTS_CHANGES) void client.invalidateQueries({ queryKey: [key] })
      onClose()
    },
  })
  const { role_id, user_id, group_id, scope_id } = getFieldErrors(grant.error)
  const ofHolder = user_id ?? group_id
  const hasScope = given.scope === undefined && (given.holder !== undefined || (scopes?.length ?? 0) > 0)
  const isAtField =
    (!given.role && role_id !== undefined) ||
    (!given.holder && ofHolder !== undefined) ||
    (hasScope && scope_id !== undefined)
  return (
    <FormDialog
      title={formatTitle(given)}
      action={given.holder ? 'Add role' : 'Grant'}
      isBlocked={grant.isPending || roleId === '' || !holder}
      error={!isAtField && grant.error}
      onSubmit={grant.mutate}
      onClose={onClose}
    >
      {!given.role && <RoleField value={roleId} onChange={setRoleId} error={role_id} />}
      {!given.holder && <HolderChoice value={holder} onChange={setHolder} error={ofHolder} />}
      {hasScope && <WhereField value={scopeId} onChange={setScopeId} error={scope_id} />}
      {given.scope && <p className={css.note}>{IN_SCOPE}</p>}
    </FormDialog>
  )
}
