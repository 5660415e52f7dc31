/** The page of one webhook: its settings, its deliveries, and how a receiver verifies signatures. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { serverConfigQuery } from '../api/queries.ts'
import { Band } from '../resource/object/band.tsx'
import { type Fact, MissingObject, MovedTo, ObjectPage } from '../resource/object/object-page.tsx'
import { usePermit } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Card, CopyText, Facts, Tags, TimeAgo } from '../ui/primitives.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { hasSecretUrl, SERVICES } from './channels/formats.ts'
import { WaitingCard } from './channels/waiting-card.tsx'
import { DeliveriesTab } from './deliveries-tab.tsx'
import { PingResult, usePing } from './ping.tsx'
import { type Webhook, webhookQuery } from './queries.ts'
import { useEditBlock } from './use-edit-block.ts'
import { Verification } from './verification.tsx'
import { buildWebhookResource } from './webhook-resource.tsx'

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
    <Band tone={isByPlat ? 'bad' : 'idle'} mark={isByPlat ? 'disabled by Plat' : 'off'}>
      <span>{isByPlat ? webhook.disabled_reason : 'It receives no events.'}</span>
      <Button onClick={() => enable.mutate()} disabled={enable.isPending} blocked={blocked(webhook)}>
        {isByPlat ? 'Enable again' : 'Enable'}
      </Button>
    </Band>
  )
}

/** The URL of a chat service is not shown, so there is nothing to copy. */
const Target = ({ url, format }: Webhook) =>
  hasSecretUrl(format) ? <span className="mono">{url}</span> : <CopyText text={url} label="URL" />

const listStrip = (webhook: Webhook): readonly Fact[] => [
  ['Sends to', SERVICES[webhook.format].name],
  ['URL', <Target key="url" {...webhook} />],
  ['Events', formatCount(webhook.events.length)],
  ...(webhook.format === 'generic'
    ? ([['Signed', webhook.has_secret ? 'yes, with its secret' : 'no: it has no secret']] as const)
    : []),
  ['Timeout', `${webhook.timeout_seconds} s`],
  ['Retries', String(webhook.retry_count)],
  ['Created', <TimeAgo key="created" at={webhook.created_at} />],
  ['Changed', <TimeAgo key="updated" at={webhook.updated_at} />],
]

const Overview = ({ webhook }: { readonly webhook: Webhook }) => {
  const headers = Object.keys(webhook.headers)
  const { quiet_from, quiet_to, timezone, digest, digest_at, format, filter } = webhook
  const isMessage = format !== 'generic'
  return (
    <Card title="Details">
      <Facts
        facts={[
          ['Events', <Tags key="events" tags={webhook.events} />],
          ['Tags', filter.tags ? <Tags key="tags" tags={filter.tags} /> : ''],
          ['Datacenters', filter.datacenter_ids ? plural(filter.datacenter_ids.length, 'datacenter') : ''],
          ['Networks', filter.network_ids ? plural(filter.network_ids.length, 'network') : ''],
          ['Digest', digest === '' ? '' : `${digest}, at ${digest_at} ${timezone}`],
          ['Reports', webhook.reports.length === 0 ? '' : <Tags key="reports" tags={webhook.reports} />],
          ['Grouped', isMessage && digest === '' ? `for ${webhook.group_seconds} s` : ''],
          ['At most', isMessage && digest === '' ? `${plural(webhook.max_per_hour, 'message')} an hour` : ''],
          ['Quiet', quiet_from === '' ? '' : `${quiet_from} to ${quiet_to} ${timezone}`],
          ['Headers', headers.length === 0 ? '' : <Tags key="headers" tags={headers} />],
          ['Description', webhook.description],
          ['ID', <CopyText key="id" text={webhook.id} label="ID" />],
        ]}
      />
    </Card>
  )
}

const PARENT = { text: 'Webhooks', link: { to: '/webhooks' } } as const

export const WebhookPage = () => {
  const { id } = route.useParams()
  const { search } = usePageSearch()
  const { may, blocked: blockedBy } = usePermit()
  const blocked = useEditBlock()
  const { data, error, refetch } = useQuery(webhookQuery(id))
  const { data: config } = useQuery(serverConfigQuery)
  const ping = usePing({ id })
  if (!data) return <MissingObject noun="webhook" parent={PARENT} error={error} refetch={refetch} />
  const webhook = data.value
  const isOfDeliveries = (search.entry ?? search.status ?? search.action) !== undefined
  if (search.tab === undefined && isOfDeliveries) return <MovedTo tab="deliveries" />
  const verification = (
    <Card title="Is it from Plat?">
      <Verification />
    </Card>
  )
  return (
    <ObjectPage
      noun="webhook"
      parent={PARENT}
      id={id}
      title={webhook.name}
      get={contracts.webhooks.get}
      resource={buildWebhookResource(webhook, config?.features.private_targets)}
      edit={{ blocked: blocked(webhook) }}
      remove={{
        blocked: may('webhook:delete') ? undefined : 'webhook:delete',
        warning: 'Its deliveries are deleted too, also queued ones.',
      }}
      actions={[
        {
          text: ping.isPending ? 'Waiting …' : webhook.format === 'generic' ? 'Ping' : 'Send a test',
          onSelect: () => ping.mutate(),
          blocked: blockedBy('webhook:update'),
          disabled: ping.isPending,
        },
      ]}
      strip={listStrip(webhook)}
      side={{ audited: 'webhook', related: null }}
      tabs={[
        {
          ...{ id: 'overview', text: 'Overview' },
          content: (
            <>
              {webhook.format !== 'generic' && <WaitingCard webhook={webhook} />}
              <Overview webhook={webhook} />
            </>
          ),
        },
        { id: 'deliveries', text: 'Deliveries', content: <DeliveriesTab webhook={webhook} />, isFull: true },
        ...(webhook.format === 'generic' ? [{ id: 'verify', text: 'Verification', content: verification }] : []),
      ]}
      above={
        <>
          <Disabled webhook={webhook} />
          <PingResult ping={ping} />
        </>
      }
      hints={search.tab === 'deliveries' ? [[['j', 'k'], 'move']] : []}
    />
  )
}
