/** One pool: every address of it, and giving one away. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { LazyAddressMap } from '../addresses/lazy-address-map.tsx'
import { countAddresses, nextIpQuery } from '../addresses/place.ts'
import { LazyAddressDialog, useAddressDialog } from '../addresses/use-address-dialog.tsx'
import { isPast } from '../api/as-of.ts'
import { contracts } from '../api/contracts.ts'
import { networksQuery, poolsQuery } from '../api/queries.ts'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { MissingObject, ObjectPage, useListed } from '../resource/object/object-page.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit, usePermitted } from '../shell/me.ts'
import { PageBody } from '../shell/page.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Figure, Skeleton } from '../ui/primitives.tsx'
import { LazyUsage } from '../utilization/lazy-usage.tsx'
import { PoolFacts } from './pool-facts.tsx'
import css from './pools.module.css'
import { POOL_RESOURCE } from './resource.ts'

const route = getRouteApi('/app/pools/$id')
const PARENT = { text: 'Pools', link: { to: '/pools' } } as const

export const PoolPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const tab = search.tab ?? 'addresses'
  const { may } = usePermit()
  const { object: pool, ...query } = useListed(poolsQuery, id)
  const place = { kind: 'pool', id } as const
  const { data: next } = useQuery({
    ...nextIpQuery(place),
    enabled: pool !== undefined && tab !== 'history' && !isPast(),
  })
  const { data: networks = [] } = usePermitted('networks:list', {
    ...networksQuery,
    enabled: tab !== 'history' || search.edit !== undefined,
  })
  const addresses = useAddressDialog()
  const giveNext = () => addresses.open(place)
  useHotkeys(addresses.blocked === undefined ? { f: giveNext } : {})
  if (!pool) return <MissingObject noun="pool" parent={PARENT} {...query} />
  const network = networks.find((one) => one.id === pool.network_id)
  const range = `${pool.start_ip}-${pool.end_ip}`
  const { utilization } = pool
  return (
    <ObjectPage
      noun="pool"
      parent={PARENT}
      id={id}
      title={pool.name}
      managedBy={pool.managed_by}
      get={contracts.pools.get}
      resource={POOL_RESOURCE}
      edit={{ blocked: may('pools:update') ? undefined : 'pools:update', isInMenu: true }}
      remove={{
        blocked: may('pools:delete') ? undefined : 'pools:delete',
        warning: 'Its reservations are deleted too. The addresses of devices stay, without a pool.',
      }}
      actions={
        <Button look="primary" aria-keyshortcuts="f" onClick={giveNext} blocked={addresses.blocked}>
          Next free address
        </Button>
      }
      hints={addresses.blocked === undefined ? [[['f'], 'next free address']] : []}
      tabs={[
        { id: 'addresses', text: 'Addresses' },
        ...(isPast() ? [] : [{ id: 'usage', text: 'Utilization' }]),
        { id: 'history', text: 'History', content: <HistoryTab kind="pool" id={id} /> },
      ]}
      body={(history) => (
        <PageBody>
          <div className={css.figures} hidden={tab === 'history'}>
            <Figure label="Used">{utilization ? formatCount(utilization.used_ips) : '–'}</Figure>
            <Figure label="Reserved">{utilization ? formatCount(utilization.reserved_ips) : '–'}</Figure>
            <Figure label="Free">{utilization ? formatCount(utilization.available_ips) : '–'}</Figure>
            {!isPast() && <Figure label="Next free">{next === undefined ? <Skeleton /> : (next ?? 'none')}</Figure>}
          </div>
          {tab === 'usage' && <LazyUsage of="pool" id={id} />}
          {history}
          <div className={countAddresses(range) <= 256n ? css.two : css.one} hidden={tab !== 'addresses'}>
            {tab === 'addresses' && <LazyAddressMap place={place} range={range} tools={addresses} />}
            <div className={css.facts}>
              <PoolFacts pool={pool} network={network} />
              <CustomFacts resource="pools" object={pool} />
            </div>
          </div>
        </PageBody>
      )}
    >
      {addresses.dialog}
      {search.new !== undefined && (
        <LazyAddressDialog place={place} ip={search.ip} onClose={() => void set({ new: undefined, ip: undefined })} />
      )}
    </ObjectPage>
  )
}
