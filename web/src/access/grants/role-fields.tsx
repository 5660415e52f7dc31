/** The fields of a grant: the role, and where it counts. */
import { useQuery } from '@tanstack/react-query'
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import type { ControlInput } from '../../resource/resource.ts'
import { usePermit } from '../../shell/me.ts'
import { rolesQuery } from '../queries.ts'
import { filterMissing, formatMissing } from '../roles/matrix.ts'

type FieldProps = {
  readonly value: string
  readonly onChange: (id: string) => void
  readonly error: string | undefined
  /** The text of no role. */
  readonly none?: string
}

export const RoleField = ({ value, onChange, error, none = 'Choose a role' }: FieldProps) => {
  const { may, mayNow, blocked } = usePermit()
  const { data = [] } = useQuery({ ...rolesQuery, enabled: may('roles:list') })
  const role = data.find(({ id }) => id === value)
  const described = role ? (formatMissing(filterMissing(role.permissions, mayNow)) ?? role.description) : undefined
  return (
    <ReferenceField
      label="Role"
      to="roles"
      none={none}
      hint={described ?? blocked('roles:list')}
      error={error}
      value={value}
      onChange={onChange}
    />
  )
}

export const IN_SCOPE =
  'In a scope, a role counts for the inventory there. Its permissions for anything else do not count.'

export const WhereField = ({ value, onChange, error }: FieldProps) => (
  <ReferenceField
    label="Where"
    to="scopes"
    none="Everywhere"
    hint={value === '' ? undefined : IN_SCOPE}
    error={error}
    value={value}
    onChange={onChange}
  />
)

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
