/** The members of a group, with the source of each membership. */

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Fragment, useMemo, useState } from 'react'
import { toSortKey } from '../../../../src/net/name-order.ts'
import { api } from '../../api/client.ts'
import { usersQuery } from '../../api/queries.ts'
import { useHotkeys } from '../../shell/hotkeys.ts'
import { usePermit, usePermitted } from '../../shell/me.ts'
import { Hints } from '../../shell/page.tsx'
import type { Column } from '../../table/column.ts'
import type { TableSpec } from '../../table/engine.ts'
import { LocalTable } from '../../table/local-table.tsx'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/primitives.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { State } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import css from '../access.module.css'
import { ActionDialog } from '../action-dialog.tsx'
import { membersQuery, RIGHTS_CHANGES, ssoProvidersQuery } from '../queries.ts'
import type { Group, Member } from '../types.ts'
import { AddMembers } from './add-members.tsx'

/** Names are empty for a caller who may not list users. */
type Row = Member & {
  readonly fullName: string
  readonly isActive: boolean
  /** The sources in words. */
  readonly by: readonly string[]
}

const MANUAL = 'manual'
const BY_HAND = 'added by hand'

const SPEC: TableSpec<Row> = {
  id: ({ user_id }) => user_id,
  text: ({ username }) => username,
  sorts: {
    username: ({ username }) => toSortKey(username),
    full_name: ({ fullName }) => toSortKey(fullName),
    sources: ({ by }) => toSortKey(by.join()),
  },
  fields: {},
  facets: {},
}

type Tools = { readonly onRemove: (row: Row) => void; readonly noChange: string | undefined }

const buildColumns = ({ onRemove, noChange }: Tools): readonly Column<Row>[] => [
  {
    id: 'username',
    text: 'User name',
    width: 200,
    isSortable: true,
    isEssential: true,
    cell: ({ user_id, username, isActive }) => (
      <>
        <RowLink to="users" id={user_id}>
          {username}
        </RowLink>{' '}
        {!isActive && <Badge tone="idle">inactive</Badge>}
      </>
    ),
  },
  { id: 'full_name', text: 'Full name', width: 220, isSortable: true, cell: ({ fullName }) => fullName },
  {
    id: 'sources',
    text: 'Member by',
    width: 240,
    isSortable: true,
    cell: ({ by }) =>
      by.map((text) => (
        <Fragment key={text}>
          <Badge tone={text === BY_HAND ? 'idle' : 'info'}>{text}</Badge>{' '}
        </Fragment>
      )),
  },
  {
    id: 'actions',
    text: 'Actions',
    isHeadHidden: true,
    width: 100,
    isRight: true,
    isEssential: true,
    cell: (row) => (
      <Button
        look="danger"
        tabIndex={-1}
        onClick={() => onRemove(row)}
        blocked={noChange}
        aria-label={`Remove ${row.username}`}
      >
        Remove
      </Button>
    ),
  },
]

const RemoveMember = ({ group, row, onClose }: { group: Group; row: Row; onClose: () => void }) => (
  <ActionDialog
    title={`Remove ${row.username} from ${group.name}?`}
    action="Remove"
    isDanger
    run={() => api.groups.remove({ id: group.id, user_id: row.user_id })}
    done={`${row.username} is no member of ${group.name} any more`}
    changes={RIGHTS_CHANGES}
    onClose={onClose}
  >
    {row.username} loses the roles that only this group gives, at once.{' '}
    {row.sources.some((source) => source !== MANUAL) &&
      'An identity provider reports this member: at the next sign-in it may be added again.'}
  </ActionDialog>
)

export const MembersTab = ({ group }: { readonly group: Group }) => {
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const { data, error, refetch } = useQuery(membersQuery(group.id))
  const { data: users } = useQuery({ ...usersQuery, enabled: may('users:list') })
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Row>()
  const noChange = blocked('groups:update')
  const isProvided = data?.some(({ sources }) => sources.some((source) => source !== MANUAL)) === true
  const { data: providers } = usePermitted('sso-providers:list', { ...ssoProvidersQuery, enabled: isProvided })
  const rows = useMemo(() => {
    const getProviderName = (source: string) => providers?.find(({ id }) => id === source)?.name ?? 'identity provider'
    const byId = new Map(users?.map((user) => [user.id, user]))
    return data?.map((member): Row => {
      const user = byId.get(member.user_id)
      return {
        ...member,
        fullName: user?.full_name ?? '',
        isActive: user?.is_active ?? true,
        by: [...new Set(member.sources.map((source) => (source === MANUAL ? BY_HAND : getProviderName(source))))],
      }
    })
  }, [data, users, providers])
  const columns = useMemo(() => buildColumns({ onRemove: setRemoved, noChange }), [noChange])
  const add = () => setAdding(true)
  useHotkeys(noChange === undefined ? { a: add } : {})
  const remove = (row: Row) => (noChange === undefined ? setRemoved(row) : void toast(noChange))
  const button = (
    <Button onClick={add} blocked={noChange}>
      <Plus size={15} aria-hidden="true" />
      Add members
      <kbd>a</kbd>
    </Button>
  )
  return (
    <>
      {rows?.length !== 0 && <p className={css.bar}>{button}</p>}
      <LocalTable
        label="Members"
        rows={rows}
        error={error}
        refetch={refetch}
        spec={SPEC}
        columns={columns}
        sort="username"
        getName={({ username }) => username}
        open={({ user_id }) => void navigate({ to: '/users/$id', params: { id: user_id } })}
        remove={remove}
        empty={
          <State title="No members yet" text="The members of a group have the roles that it gives.">
            {button}
          </State>
        }
      />
      <Hints
        hints={[
          [['j', 'k'], 'move'],
          [['Enter'], 'open'],
          ...(noChange === undefined
            ? ([
                [['a'], 'add'],
                [['#'], 'remove'],
              ] as const)
            : []),
          [['?'], 'all shortcuts'],
        ]}
      />
      {isAdding && (
        <AddMembers
          group={group}
          members={new Set(data?.map(({ user_id }) => user_id))}
          onClose={() => setAdding(false)}
        />
      )}
      {removed && <RemoveMember group={group} row={removed} onClose={() => setRemoved(undefined)} />}
    </>
  )
}
