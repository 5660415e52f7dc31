/** The selected permissions of a role, optionally copied from another role. */
import { useQuery } from '@tanstack/react-query'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { plural } from '../../ui/format.ts'
import css from '../access.module.css'
import { catalogueQuery, rolesQuery } from '../queries.ts'
import { Matrix } from './matrix.tsx'

type Props = {
  readonly names: readonly string[]
  readonly onChange: (names: ReadonlySet<string>) => void
  readonly error: string | undefined
  readonly isNew: boolean
}

const StartFrom = ({ onChange }: Pick<Props, 'onChange'>) => {
  const { may, mayNow } = usePermit()
  const { data = [] } = useQuery({ ...rolesQuery, enabled: may('roles:list') })
  return (
    <div className={css.start}>
      <span className={css.note}>Copy the permissions of another role:</span>
      {data.map(({ id, name, permissions }) => (
        <Button key={id} onClick={() => onChange(new Set(permissions.filter(mayNow)))}>
          {name}
        </Button>
      ))}
    </div>
  )
}

export const RoleEditor = ({ names, onChange, error, isNew }: Props) => {
  const { mayNow } = usePermit()
  const { data: catalogue = [] } = useQuery(catalogueQuery)
  const foreign = catalogue.filter(({ name }) => !mayNow(name)).length
  return (
    <div className={css.group}>
      <div className={css.groupHead}>
        <b>Permissions</b>
        <span className={css.note} role="status">
          {plural(names.length, 'permission')} chosen
        </span>
        <Button onClick={() => onChange(new Set())}>Clear</Button>
      </div>
      {isNew && <StartFrom onChange={onChange} />}
      {foreign > 0 && (
        <p className={css.note}>
          {plural(foreign, 'permission')} can't be chosen, because you can only grant permissions that you have.
        </p>
      )}
      {error !== undefined && (
        <p role="alert" className={css.error}>
          {error}
        </p>
      )}
      <Matrix label="Permissions" held={new Set(names)} onChange={onChange} />
    </div>
  )
}
