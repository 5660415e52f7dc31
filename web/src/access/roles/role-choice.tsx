/** A form field with the roles of a user. A caller can only add roles with permissions that the caller has. */
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { usePermit } from '../../shell/me.ts'
import { Checkbox } from '../../ui/field.tsx'
import { Badge, Skeleton } from '../../ui/primitives.tsx'
import css from '../access.module.css'
import { rolesQuery } from '../queries.ts'
import type { Role } from '../types.ts'
import { filterMissing, formatMissing } from './matrix.ts'

type ChoiceProps = {
  readonly names: readonly string[]
  readonly onChange: (names: readonly string[]) => void
  readonly error: string | undefined
}

type OptionProps = { readonly role: Role; readonly isHeld: boolean; readonly onChange: (isHeld: boolean) => void }

const Option = ({ role, isHeld, onChange }: OptionProps) => {
  const id = useId()
  const { may } = usePermit()
  // A role that the user already has can be kept or removed.
  const lack = isHeld ? undefined : formatMissing(filterMissing(role.permissions, may))
  return (
    <div className={css.roleOption}>
      <Checkbox
        id={id}
        checked={isHeld}
        disabled={lack !== undefined}
        aria-describedby={`${id}-note`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>
        {role.name} {role.is_system && <Badge tone="idle">system</Badge>}
      </label>
      <span id={`${id}-note`} className={css.note}>
        {lack ?? role.description}
      </span>
    </div>
  )
}

export const RoleChoice = ({ names, onChange, error }: ChoiceProps) => {
  const { may } = usePermit()
  const { data } = useQuery({ ...rolesQuery, enabled: may('roles:list') })
  const held = new Set(names)
  const toggle = (name: string) => (isHeld: boolean) =>
    onChange(isHeld ? [...names, name] : names.filter((one) => one !== name))
  return (
    <fieldset className={css.roleChoice}>
      <legend>Roles</legend>
      {!may('roles:list') && (
        <p className={css.note}>
          {names.join(', ') || 'None'}. To choose roles needs the permission <code className="mono">roles:list</code>.
        </p>
      )}
      {may('roles:list') && !data && <Skeleton />}
      {data?.map((role) => (
        <Option key={role.id} role={role} isHeld={held.has(role.name)} onChange={toggle(role.name)} />
      ))}
      {error !== undefined && <p className={css.error}>{error}</p>}
    </fieldset>
  )
}
