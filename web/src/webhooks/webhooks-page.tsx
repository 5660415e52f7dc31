/** The list of webhooks. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Dashboard } from '../api/contracts.ts'
import { dashboardQuery, serverConfigQuery } from '../api/queries.ts'
import { ListPage } from '../resource/list-page.tsx'
import { buildNameColumn } from '../resource/name-column.tsx'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { usePageSearch } from '../table/list-search.ts'
import { buildTimeColumn } from '../table/time-column.tsx'
import { formatCount } from '../ui/format.ts'
import { Badge } from '../ui/primitives.tsx'
import { Switch } from '../ui/switch.tsx'
import { SERVICES } from './channels/formats.ts'
import { type Webhook, webhooksQuery } from './queries.ts'
import { useEditBlock } from './use-edit-block.ts'
import { useToggleWebhook } from './use-toggle.ts'
import { buildWebhookResource, NEW_WEBHOOK, webhookSpec } from './webhook-resource.tsx'
import css from './webhooks.module.css'

type Tools = {
  readonly troubles: Dashboard['webhooks'] | undefined
  readonly onToggle: (webhook: Webhook) => void
  readonly editBlock: (webhook: Webhook) => string | undefined
}

const Trouble = ({ webhook, troubles }: Pick<Tools, 'troubles'> & { readonly webhook: Webhook }) => {
  const failed = troubles?.find(({ id }) => id === webhook.id)?.failed ?? 0
  if (webhook.disabled_reason !== '') return <Badge tone="bad">disabled by Plat</Badge>
  if (!webhook.enabled) return <Badge tone="idle">off</Badge>
  if (failed === 0) return <Badge tone="ok">on</Badge>
  return (
    <Link to="/webhooks/$id" params={{ id: webhook.id }} search={{ tab: 'deliveries', status: 'failed' }} tabIndex={-1}>
      <Badge tone="warn">{formatCount(failed)} failed in 24 h</Badge>
    </Link>
  )
}

const buildColumns = ({ troubles, onToggle, editBlock }: Tools): readonly Column<Webhook>[] => [
  buildNameColumn(170, '/webhooks/$id'),
  { id: 'format', text: 'Sends to', width: 100, isSortable: true, cell: ({ format }) => SERVICES[format].name },
  {
    id: 'url',
    text: 'URL',
    width: 310,
    isSortable: true,
    cell: ({ url }) => (
      <span className="mono" title={url}>
        {url}
      </span>
    ),
  },
  {
    id: 'events',
    text: 'Events',
    width: 230,
    cell: ({ events }) => (
      <span title={events.join(', ')}>
        <span className={css.figure}>{events.length}</span>{' '}
        <span className="muted">{[...new Set(events.map((name) => name.split('.')[0]))].join(', ')}</span>
      </span>
    ),
  },
  {
    id: 'enabled',
    text: 'Enabled',
    width: 90,
    isSortable: true,
    isEssential: true,
    cell: (webhook) => (
      <Switch
        label={`Enable ${webhook.name}`}
        isOn={webhook.enabled}
        onChange={() => onToggle(webhook)}
        blocked={editBlock(webhook)}
      />
    ),
  },
  {
    id: 'state',
    text: 'State',
    width: 200,
    isEssential: true,
    cell: (webhook) => <Trouble webhook={webhook} troubles={troubles} />,
  },
  {
    id: 'signed',
    text: 'Signed',
    width: 90,
    cell: ({ has_secret, format }) =>
      has_secret ? 'yes' : <span className="muted">{format === 'generic' ? 'no' : '-'}</span>,
  },
  { id: 'description', text: 'Description', width: 240, cell: ({ description }) => description },
  buildTimeColumn({
    ...{ id: 'updated', text: 'Changed', width: 120, isNewestFirst: true },
    at: ({ updated_at }) => updated_at,
  }),
]

const DEFAULT_COLUMNS = ['name', 'format', 'url', 'events', 'enabled', 'state', 'signed', 'updated', 'actions']

export const WebhooksPage = () => {
  const { search } = usePageSearch()
  const { may, blocked } = usePermit()
  const editBlock = useEditBlock()
  const navigate = useNavigate()
  const query = useQuery({ ...webhooksQuery, enabled: may('webhook:list') })
  const { data: known } = useQuery({ ...dashboardQuery, enabled: may('webhook:list') && may('dashboard:read') })
  const { mutate: toggle } = useToggleWebhook()
  const edited = query.data?.find(({ id }) => id === search.edit)
  const { data: config } = useQuery(serverConfigQuery)
  const allowsPrivate = config?.features.private_targets
  const resource = useMemo(() => buildWebhookResource(edited, allowsPrivate), [edited, allowsPrivate])
  const troubles = known?.webhooks
  const columns = useMemo(() => buildColumns({ troubles, onToggle: toggle, editBlock }), [troubles, toggle, editBlock])
  return (
    <ListPage
      resourceName="webhook"
      resource={resource}
      query={query}
      needs="webhook:list"
      spec={webhookSpec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, URL, event:device, state:disabled"
      empty="A webhook tells people or programs of events: a change, a conflict, a pool that is nearly full."
      deleteWarning="Its deliveries are deleted too, also queued ones."
      open={({ id }) => void navigate({ to: '/webhooks/$id', params: { id } })}
      given={NEW_WEBHOOK}
      onSaved={({ id }, isNew) => {
        if (isNew) void navigate({ to: '/webhooks/$id', params: { id } })
      }}
      rules={{ edit: editBlock }}
      menu={{ needs: blocked, edit: editBlock }}
    />
  )
}
