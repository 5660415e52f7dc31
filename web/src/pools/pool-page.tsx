/** One pool: every address of it, and giving one away. */
import { getRouteApi } from '@tanstack/react-router'
import { LazyAddressDialog, useAddressDialog } from '../addresses/use-address-dialog.tsx'
import { isPast } from '../api/as-of.ts'
import { contracts } from '../api/contracts.ts'
import { networksQuery, poolsQuery } from '../api/queries.ts'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { MissingObject, ObjectPage, useListed } from '../resource/object/object-page.tsx'
import { useRelated } from '../resource/related/known-related.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit, usePermitted } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { LazyUsage } from '../utilization/lazy-usage.tsx'
import { PoolOverview, usePoolParts } from './pool-overview.tsx'
import { POOL_RESOURCE } from './resource.ts'

const route = getRouteApi('/app/pools/$id')
const PARENT = { text: 'Pools', link: { to: '/pools' } } as const

export const PoolPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const { may, blocked } = usePermit()
  const { object: pool, ...query } = useListed(poolsQuery, id)
  const isWanted = search.tab !== 'history' || search.edit !== undefined
  const { data: networks = [] } = usePermitted('networks:list', { ...networksQuery, enabled: isWanted })
  const place = { kind: 'pool', id } as const
  const addresses = useAddressDialog()
  const giveNext = () => addresses.open(place)
  useHotkeys(addresses.blocked === undefined ? { f: giveNext } : {})
  const { strip, related } = usePoolParts(
    pool,
    networks.find((one) => one.id === pool?.network_id),
    isWanted,
  )
  const naming = useRelated(pool && { resource: 'pools', id, name: pool.name })
  if (!pool) return <MissingObject noun="pool" parent={PARENT} {...query} />
  return (
    <ObjectPage
      noun="pool"
      parent={PARENT}
      id={id}
      title={pool.name}
      managedBy={pool.managed_by}
      get={contracts.pools.get}
      resource={POOL_RESOURCE}
      edit={{ blocked: may('pools:update') ? undefined : 'pools:update' }}
      remove={{
        blocked: blocked('pools:delete') && 'pools:delete',
        warning: 'Its reservations are deleted too. The addresses of devices stay, without a pool.',
      }}
      actions={[
        {
          ...{ text: 'Next free address', look: 'primary', shortcut: 'f' },
          onSelect: giveNext,
          blocked: addresses.blocked,
        },
      ]}
      hints={addresses.blocked === undefined ? [[['f'], 'next free address']] : []}
      strip={strip}
      side={{ kind: 'pool', related, more: naming.more }}
      tabs={[
        { id: 'overview', text: 'Overview', content: <PoolOverview pool={pool} tools={addresses} /> },
        ...(isPast() ? [] : [{ id: 'usage', text: 'Utilization', content: <LazyUsage of="pool" id={id} /> }]),
        ...naming.tabs,
        { id: 'history', text: 'History', content: <HistoryTab kind="pool" id={id} /> },
      ]}
    >
      {addresses.dialog}
      {search.new !== undefined && (
        <LazyAddressDialog place={place} ip={search.ip} onClose={() => void set({ new: undefined, ip: undefined })} />
      )}
    </ObjectPage>
  )
}
