/** The deletion of a scope. Its objects stay, and the grants in it are deleted. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { usePermit } from '../../shell/me.ts'
import { plural } from '../../ui/format.ts'
import { ActionDialog } from '../action-dialog.tsx'
import { grantsQuery, RIGHTS_CHANGES } from '../queries.ts'
import type { Scope } from '../types.ts'

type Props = { readonly scope: Scope; readonly onClose: () => void; readonly onDone?: () => unknown }

export const DeleteScope = ({ scope: { id, name }, onClose, onDone }: Props) => {
  const { may } = usePermit()
  const { data } = useQuery({ ...grantsQuery({ scope_id: id }), enabled: may('users:list') })
  return (
    <ActionDialog
      title={`Delete ${name}?`}
      action="Delete scope"
      isDanger
      run={() => api.scopes.delete({ id })}
      done={`Deleted ${name}`}
      changes={RIGHTS_CHANGES}
      onClose={onClose}
      onDone={onDone}
    >
      {data ? `${plural(data.length, 'grant')} in it will be revoked` : 'All grants in it will be revoked'}, at once.
      The datacenters, networks, pools and devices stay. This can't be undone.
    </ActionDialog>
  )
}
