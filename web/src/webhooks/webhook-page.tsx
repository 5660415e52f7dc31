/** The page of one webhook: its deliveries, its settings, and how a receiver verifies signatures. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { serverConfigQuery } from '../api/queries.ts'
import { CommandItems, useCommand } from '../commands/command-menu.tsx'
import { DeleteDialog } from '../resource/delete-dialog.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/shell.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { Badge, Card, CopyText, Facts, Tags, TimeAgo } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { DeliveriesTab } from './deliveries-tab.tsx'
import { PingButton, PingResult, usePing } from './ping.tsx'
import { type Webhook, webhookQuery } from './queries.ts'
import { useEditBlock } from './use-edit-block.ts'
import { Verification } from './verification.tsx'
import { webhookResource } from './webhook-resource.tsx'
import css from './webhooks.module.css'

const route = getRouteApi('/app/webhooks/$id')

/** Shows why Plat disabled a webhook, with a button that enables it again. */
const Disabled = ({ webhook }: { readonly webhook: Webhook }) => {
  const blocked = useEditBlock()
  const client = useQueryClient()
  const enable = useMutation({
    mutationFn: () => api.webhooks.update({ id: webhook.id, enabled: true }),
    onSuccess: () => {
      toast(`${webhook.name} is enabled again`)
      for (const key of ['webhook', 'webhooks', 'dashboard']) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: (error) => toastError('It is still disabled', error),
  })
  if (webhook.enabled) return null
  const isByPlat = webhook.disabled_reason !== ''
  return (
    <div role="status" className={css.result} data-tone={isByPlat ? 'bad' : 'idle'}>
      <Badge tone={isByPlat ? 'bad' : 'idle'}>{isByPlat ? 'disabled by Plat' : 'off'}</Badge>
      <span>{isByPlat ? webhook.disabled_reason : 'It is not told of anything.'}</span>
      <Button onClick={() => enable.mutate()} disabled={enable.isPending} blocked={blocked(webhook)}>
        {isByPlat ? 'Enable again' : 'Enable'}
      </Button>
    </div>
  )
}

const About = ({ webhook }: { readonly webhook: Webhook }) => (
  <Card title="About this webhook">
    <Facts
      facts={[
        ['URL', <CopyText key="url" text={webhook.url} label="URL" />],
        ['Events', <Tags key="events" tags={webhook.events} />],
        ['Signed', webhook.has_secret ? 'yes, with its secret' : 'no: it has no secret'],
        [
          'Headers',
          Object.keys(webhook.headers).length === 0 ? '' : <Tags key="headers" tags={Object.keys(webhook.headers)} />,
        ],
        ['Timeout', `${webhook.timeout_seconds} s`],
        ['Retries', String(webhook.retry_count)],
        ['Description', webhook.description],
        ['ID', <CopyText key="id" text={webhook.id} label="ID" />],
        ['Created', <TimeAgo key="created" at={webhook.created_at} />],
        ['Changed', <TimeAgo key="updated" at={webhook.updated_at} />],
      ]}
    />
  </Card>
)

const DELETE_WARNING = 'Its deliveries go with it, also those that are still on their way.'
const PARENT = { text: 'Webhooks', link: { to: '/webhooks' } } as const

export const WebhookPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may } = usePermit()
  const blocked = useEditBlock()
  const { data, error, refetch } = useQuery(webhookQuery(id))
  const { data: config } = useQuery(serverConfigQuery)
  const ping = usePing({ id })
  const [isDoomed, setPendingDelete] = useState(false)
  const getCall = useCommand(contracts.webhooks.get, { id })
  const edit = () => void set({ edit: id })
  useHotkeys({
    ...(may('webhook:update') && data ? { e: edit } : {}),
    ...(may('webhook:delete') && data ? { '#': () => setPendingDelete(true) } : {}),
  })
  if (!data)
    return (
      <>
        <PageHead title="Webhook" parent={PARENT} />
        {error ? <Failure error={error} onRetry={() => void refetch()} noun="webhook" /> : <PageLoading />}
      </>
    )
  const webhook = data.value
  const resource = webhookResource(webhook, config?.features.private_targets)
  const tab = search.tab ?? 'deliveries'
  const more = (
    <Button>
      More
      <ChevronDown size={14} aria-hidden="true" />
    </Button>
  )
  return (
    <>
      <PageHead title={webhook.name} parent={PARENT}>
        <PingButton ping={ping} />
        <Button onClick={edit} blocked={blocked(webhook)}>
          Edit
          <kbd>e</kbd>
        </Button>
        <Menu trigger={more}>
          <CommandItems getCall={getCall} />
          <MenuLine />
          <MenuItem
            isDanger
            onSelect={() => setPendingDelete(true)}
            blocked={may('webhook:delete') ? undefined : 'webhook:delete'}
          >
            Delete webhook<kbd>#</kbd>
          </MenuItem>
        </Menu>
      </PageHead>
      <Tabs
        label="About this webhook"
        current={tab}
        tabs={[
          { id: 'deliveries', text: 'Deliveries' },
          { id: 'about', text: 'About' },
          { id: 'verify', text: 'Verification' },
        ]}
      />
      <Disabled webhook={webhook} />
      <PingResult ping={ping} />
      {tab === 'about' && (
        <PageBody>
          <About webhook={webhook} />
        </PageBody>
      )}
      {tab === 'verify' && (
        <PageBody>
          <Card title="Is it from Plat?">
            <Verification />
          </Card>
        </PageBody>
      )}
      {tab !== 'about' && tab !== 'verify' && <DeliveriesTab webhook={webhook} />}
      <Hints
        hints={[
          ...(may('webhook:update') ? [[['e'], 'edit'] as const] : []),
          ...(tab === 'deliveries' ? [[['j', 'k'], 'move'] as const] : []),
          [['?'], 'all shortcuts'],
        ]}
      />
      {search.edit !== undefined && (
        <ResourceDrawer
          resource={resource}
          id={id}
          onClose={() => void set({ edit: undefined })}
          blocked={blocked(webhook)}
        />
      )}
      {isDoomed && (
        <DeleteDialog
          resource={resource}
          id={id}
          name={webhook.name}
          deleteWarning={DELETE_WARNING}
          onClose={() => setPendingDelete(false)}
          onDone={() => void navigate({ to: '/webhooks' })}
        />
      )}
    </>
  )
}
