/** The list of the API keys that the caller may see: the caller's keys, or all keys. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import { Expiry, FeedNote } from '../account/keys-card.tsx'
import { LimitNote } from '../account/limit-note.tsx'
import { NewKeyDialog, ShownOnce } from '../account/new-key.tsx'
import { api, callTagged, write } from '../api/client.ts'
import { type ApiKey, contracts, type NewApiKey } from '../api/contracts.ts'
import { usersQuery } from '../api/queries.ts'
import { type ColumnsOf, ListPage, type Rules } from '../resource/list-page.tsx'
import type { Resource } from '../resource/resource.ts'
import { buildActionsColumn } from '../resource/row-menu.tsx'
import { useMe, usePermit } from '../shell/me.ts'
import { buildTimeColumn } from '../table/time-column.tsx'
import { MenuItem } from '../ui/menu.tsx'
import { Badge } from '../ui/primitives.tsx'
import css from './access.module.css'
import { ActionDialog } from './action-dialog.tsx'
import { buildKeySpec } from './key-spec.ts'
import { keysQuery } from './queries.ts'

const RotateKeyDialog = lazy(() =>
  import('../account/rotate-key.tsx').then((module) => ({ default: module.RotateKeyDialog })),
)

type Tools = {
  readonly names: ReadonlyMap<string, string>
  readonly blockedFor: (key: ApiKey, permission: string) => string | undefined
  readonly onRotate: (key: ApiKey) => void
}

const buildColumns =
  ({ names, blockedFor, onRotate }: Tools): ColumnsOf<ApiKey> =>
  (run) => [
    {
      id: 'name',
      text: 'Name',
      width: 200,
      isSortable: true,
      isEssential: true,
      cell: ({ name, feed_id }) => (
        <>
          <b className={css.strong}>{name}</b>
          {feed_id !== null && <FeedNote feedId={feed_id} tabIndex={-1} />}
        </>
      ),
    },
    { id: 'prefix', text: 'Begins with', width: 130, cell: ({ prefix }) => <span className="mono">{prefix}…</span> },
    {
      id: 'owner',
      text: 'Owner',
      width: 160,
      isSortable: true,
      isEssential: true,
      cell: ({ user_id, created_by }) =>
        user_id === null ? (
          <Badge tone="bad">no owner, unusable</Badge>
        ) : (
          <>
            <Link to="/users/$id" params={{ id: user_id }} search={{ tab: 'access' }} tabIndex={-1}>
              {names.get(user_id) ?? user_id}
            </Link>
            {created_by !== null && created_by !== user_id && (
              <span className="muted"> made by {names.get(created_by) ?? 'somebody else'}</span>
            )}
          </>
        ),
    },
    { id: 'limits', text: 'Limits', width: 220, cell: (apiKey) => <LimitNote apiKey={apiKey} /> },
    buildTimeColumn({ id: 'used', text: 'Last used', width: 130, at: ({ last_used_at }) => last_used_at }),
    {
      id: 'address',
      text: 'Last used from',
      width: 150,
      cell: ({ last_used_ip }) => <span className="mono">{last_used_ip}</span>,
    },
    {
      id: 'expires',
      text: 'Expires',
      width: 180,
      isSortable: true,
      cell: ({ expires_at }) => <Expiry at={expires_at} />,
    },
    buildTimeColumn({ id: 'rotated', text: 'Rotated', width: 130, at: ({ rotated_at }) => rotated_at }),
    buildTimeColumn({
      id: 'previous',
      text: 'Old value ends',
      width: 140,
      never: '–',
      at: ({ previous_expires_at }) => previous_expires_at,
    }),
    buildTimeColumn({ id: 'created', text: 'Created', width: 130, at: ({ created_at }) => created_at }),
    buildActionsColumn({
      noun: 'key',
      getName: ({ name }) => name,
      remove: { run: run.remove, blocked: (key) => blockedFor(key, 'apikeys:delete') },
      more: (key) => (
        <MenuItem onSelect={() => onRotate(key)} blocked={blockedFor(key, 'apikeys:create')}>
          Rotate
        </MenuItem>
      ),
    }),
  ]

const DEFAULT_COLUMNS = ['name', 'prefix', 'owner', 'limits', 'used', 'expires', 'created', 'actions']

/** Keys can't be edited. */
const resource: Resource<ApiKey> = {
  noun: 'key',
  fields: [],
  getName: ({ name }) => name,
  operations: contracts.keys,
  get: (id) => callTagged(contracts.keys.get, { id }),
  create: (input) => api.keys.create(input as { name: string }),
  update: (id) => api.keys.get({ id }),
  remove: (id) => write(contracts.keys.delete, { id }),
  changes: ['keys'],
}

export const KeysPage = () => {
  const me = useMe()
  const { may, blocked } = usePermit()
  const client = useQueryClient()
  const query = useQuery(keysQuery)
  const { data: users } = useQuery({ ...usersQuery, enabled: may('users:list') })
  const [made, setMade] = useState<NewApiKey>()
  const [rotating, setRotating] = useState<ApiKey>()
  const names = useMemo(
    () => new Map([[me.id, me.username], ...(users ?? []).map(({ id, username }) => [id, username] as const)]),
    [users, me.id, me.username],
  )
  const spec = useMemo(() => buildKeySpec(names), [names])
  const isOwn = ({ user_id }: ApiKey) => user_id === me.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: permissions stay the same until the page is reloaded
  const columns = useMemo(() => {
    const blockedFor = (key: ApiKey, permission: string) => (isOwn(key) || may(permission) ? undefined : permission)
    return buildColumns({ names, blockedFor, onRotate: setRotating })
  }, [names])
  const rules: Rules<ApiKey> = {
    // Deleting a key that belongs to the caller needs no permission.
    create: { blocked: undefined },
    remove: (key) => (isOwn(key) ? undefined : blocked('apikeys:delete')),
  }
  const others = (users ?? []).filter(({ id }) => id !== me.id).map(({ id, username }) => [id, username] as const)
  const owners = may('apikeys:create') ? [[me.id, `${me.username} (you)`] as const, ...others] : undefined
  return (
    <>
      <ListPage
        resourceName="apikeys"
        resource={resource}
        query={query}
        spec={spec}
        columns={columns}
        defaultColumns={DEFAULT_COLUMNS}
        sort="name"
        placeholder="Name, owner:, state:"
        empty="A key gives a script or the command line the permissions of its owner."
        deleteWarning=""
        rules={rules}
        note={
          may('apikeys:list') ? undefined : (
            <>
              You see your own keys. Everyone's need the permission <code className="mono">apikeys:list</code>.
            </>
          )
        }
        drawer={(id, onClose) =>
          id === undefined ? (
            <NewKeyDialog
              owners={owners}
              onClose={onClose}
              onMade={(key) => {
                onClose()
                setMade(key)
                void client.invalidateQueries({ queryKey: ['keys'] })
              }}
            />
          ) : null
        }
        removal={(key, onClose) => <DeleteKey apiKey={key} onClose={onClose} />}
      />
      {made && <ShownOnce made={made} onClose={() => setMade(undefined)} />}
      {rotating && (
        <Suspense>
          <RotateKeyDialog apiKey={rotating} onClose={() => setRotating(undefined)} onRotated={setMade} />
        </Suspense>
      )}
    </>
  )
}

const DeleteKey = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => (
  <ActionDialog
    title={`Delete the key “${apiKey.name}”?`}
    action="Delete key"
    isDanger
    run={() => api.keys.delete({ id: apiKey.id })}
    done={`The key “${apiKey.name}” is deleted`}
    changes={['keys']}
    onClose={onClose}
  >
    Requests with it are refused from then on. This can't be undone.
  </ActionDialog>
)
