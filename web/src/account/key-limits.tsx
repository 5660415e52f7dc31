/** The permissions of a key with limits. */
import { Matrix } from '../access/roles/matrix.tsx'
import { plural } from '../ui/format.ts'
import css from './account.module.css'

type Props = {
  readonly held: ReadonlySet<string>
  readonly onChange: (held: ReadonlySet<string>) => void
  readonly error: string | undefined
}

export const KeyPermissions = ({ held, onChange, error }: Props) => (
  <div className={css.limits}>
    <p className="muted" role="status">
      {plural(held.size, 'permission')} chosen. The key never has more than its owner.
    </p>
    {error !== undefined && (
      <p role="alert" className={css.error}>
        {error}
      </p>
    )}
    <Matrix label="Permissions of the key" held={held} onChange={onChange} />
  </div>
)
