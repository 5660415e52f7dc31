/** The fields of a grant: the role, and where it counts. */
import { useQuery } from '@tanstack/react-query'
import type { ControlInput } from '../../resource/resource.ts'
import { usePermit, usePermitted } from '../../shell/me.ts'
import { SelectField } from '../../ui/field.tsx'
import { rolesQuery, scopesQuery } from '../queries.ts'
import { filterMissing, formatMissing } from '../roles/matrix.ts'
import type { Scope } from '../types.ts'

type FieldProps = {
  readonly value: string
  readonly onChange: (id: string) => void
  readonly error: string | undefined
  /** The text of no role. */
  readonly none?: string
}

export const RoleField = ({ value, onChange, error, none = 'Choose a role' }: FieldProps) => {
  const { may, blocked } = usePermit()
  const { data = [] } = useQuery({ ...rolesQuery, enabled: may('roles:list') })
  const role = data.find(({ id }) => id === value)
  const described = role ? (formatMissing(filterMissing(role.permissions, may)) ?? role.description) : undefined
  return (
    <SelectField
      label="Role"
      hint={described ?? blocked('roles:list')}
      error={error}
      value={value}
      onChange={onChange}
      options={[['', none], ...data.map(({ id, name }) => [id, name] as const)]}
    />
  )
}

export const IN_SCOPE =
  'In a scope, a role counts for the inventory there. Its permissions for anything else do not count.'

const NONE: readonly Scope[] = []

export const WhereField = ({ value, onChange, error }: FieldProps) => {
  const { data = NONE } = usePermitted('scopes:list', scopesQuery)
  return (
    <SelectField
      label="Where"
      hint={value === '' ? undefined : IN_SCOPE}
      error={error}
      value={value}
      onChange={onChange}
      options={[['', 'Everywhere'], ...data.map(({ id, name }) => [id, `In ${name}`] as const)]}
    />
  )
}

export type RoleWhere = { readonly role_id: string; readonly scope_id: string }

/** The form only has texts. */
export const parseRoleWhere = (text: string): RoleWhere =>
  text === '' ? { role_id: '', scope_id: '' } : (JSON.parse(text) as RoleWhere)

/** Returns the grants of a new user; undefined without a role. */
export const toSentGrants = (text: string): readonly object[] | undefined => {
  const { role_id, scope_id } = parseRoleWhere(text)
  return role_id === '' ? undefined : [{ role_id, ...(scope_id !== '' && { scope_id }) }]
}

/** The role of a new user. The errors of the server name the first of its grants. */
export const RoleWhereFields = ({ value, onChange, error, errors }: ControlInput) => {
  const chosen = parseRoleWhere(value)
  const set = (change: Partial<RoleWhere>) => onChange(JSON.stringify({ ...chosen, ...change }))
  const { 'grants[0].role_id': atRole, 'grants[0].scope_id': atWhere } = errors
  return (
    <>
      <RoleField
        none="None"
        value={chosen.role_id}
        onChange={(role_id) => set({ role_id })}
        error={atRole ?? (atWhere === undefined ? error : undefined)}
      />
      <WhereField value={chosen.scope_id} onChange={(scope_id) => set({ scope_id })} error={atWhere} />
    </>
  )
}
