/** Adds users to a group, one at a click. A refusal is shown beside the user. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { toAppError } from '../../api/errors.ts'
import { usersQuery } from '../../api/queries.ts'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { plural } from '../../ui/format.ts'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import { Badge, Skeleton } from '../../ui/primitives.tsx'
import css from '../access.module.css'
import { RIGHTS_CHANGES } from '../queries.ts'
import type { Group, User } from '../types.ts'

/** The users that are shown at once; a longer text finds the others. */
const MOST = 8

type RowProps = { readonly group: Group; readonly user: User; readonly isMember: boolean }

const Row = ({ group, user: { id, username, full_name, is_active }, isMember }: RowProps) => {
  const client = useQueryClient()
  const add = useMutation({
    mutationFn: () => api.groups.add({ id: group.id, user_id: id }),
    onSuccess: () => {
      for (const key of RIGHTS_CHANGES) void client.invalidateQueries({ queryKey: [key] })
    },
  })
  return (
    <li className={css.personRow}>
      <b className={css.strong}>{username}</b>
      <span className={`${css.note} truncate`}>
        {full_name} {!is_active && <Badge tone="idle">inactive</Badge>}
      </span>
      {isMember || add.isSuccess ? (
        <Badge tone="ok">member</Badge>
      ) : (
        <Button onClick={() => add.mutate()} disabled={add.isPending} aria-label={`Add ${username}`}>
          Add
        </Button>
      )}
      {add.isError && (
        <p role="alert" className={css.error}>
          {toAppError(add.error).message}
        </p>
      )}
    </li>
  )
}

type Props = {
  readonly group: Group
  /** The ids of the members. */
  readonly members: ReadonlySet<string>
  readonly onClose: () => void
}

export const AddMembers = ({ group, members, onClose }: Props) => {
  const { may } = usePermit()
  const { data } = useQuery({ ...usersQuery, enabled: may('users:list') })
  const [text, setText] = useState('')
  // A user who is added here stays in the list.
  const [before] = useState(members)
  const word = text.trim().toLowerCase()
  const found = data?.filter(
    ({ id, username, full_name, email }) =>
      !before.has(id) && [username, full_name, email].some((part) => part.toLowerCase().includes(word)),
  )
  const others = (found?.length ?? 0) - MOST
  return (
    <Dialog title={`Add members to ${group.name}`} onClose={onClose}>
      {may('users:list') ? (
        <div className={css.dialogForm}>
          <TextField
            label="Find a user"
            hint="A part of the user name, full name or e-mail address"
            value={text}
            onChange={setText}
          />
          {!data && <Skeleton />}
          <ul className={css.options}>
            {found?.slice(0, MOST).map((user) => (
              <Row key={user.id} group={group} user={user} isMember={members.has(user.id)} />
            ))}
          </ul>
          <p role="status" className={css.note}>
            {found?.length === 0
              ? word === ''
                ? 'All users are members.'
                : 'No user who is not a member has this name.'
              : others > 0 && `${plural(others, 'more user')} not shown`}
          </p>
        </div>
      ) : (
        <p className="muted">
          To choose users needs the permission <code className="mono">users:list</code>.
        </p>
      )}
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
