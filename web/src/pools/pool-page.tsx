/** One pool: every address of it, and taking one. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { computeRangeSize, parseRange } from '../../../src/net/range.ts'
import { isPast } from '../api/as-of.ts'
import { api } from '../api/client.ts'
import { contracts, type Pool } from '../api/contracts.ts'
import { isCode } from '../api/errors.ts'
import { networksQuery, poolsQuery } from '../api/queries.ts'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import { buildReservationResource } from '../reservations/resource.ts'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { MissingObject, ObjectPage, useListed } from '../resource/object/object-page.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { PageBody } from '../shell/page.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Card, Figure, Skeleton } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { LazyUsage } from '../utilization/lazy-usage.tsx'
import { buildAddressMap } from './address-map.ts'
import { AllocateDialog } from './allocate-dialog.tsx'
import css from './heatmap.module.css'
import { Heatmap } from './heatmap.tsx'
import { PoolFacts } from './pool-facts.tsx'
import { buildPoolResource } from './resource.ts'

const route = getRouteApi('/app/pools/$id')
const PARENT = { text: 'Pools', link: { to: '/pools' } } as const

/** In the place of a next address. */
const NO_IP = 'none'

/** The largest pool that the server draws. */
const MOST_DRAWN = 65_536

/** Counts all addresses of the range, also those that belong to other networks. */
const countRange = ({ start_ip, end_ip }: Pool): number => {
  const range = parseRange(`${start_ip}-${end_ip}`)
  return range ? Number(computeRangeSize(range)) : 0
}

const usePool = (id: string, tab: string) => {
  const { object: pool, ...query } = useListed(poolsQuery, id)
  const isDrawn = pool !== undefined && countRange(pool) <= MOST_DRAWN
  const heatmap = useQuery({
    queryKey: ['pool', id, 'heatmap'],
    queryFn: () => api.pools.heatmap({ id }),
    enabled: isDrawn && tab === 'addresses',
  })
  const next = useQuery({
    queryKey: ['pool', id, 'next'],
    // A pool without a free address answers with an error, which is an answer.
    queryFn: () =>
      api.pools.nextIp({ id }).then(
        ({ ip }) => ip,
        (error: unknown) => {
          if (isCode(error, 'IP_NOT_AVAILABLE')) return NO_IP
          throw error
        },
      ),
    enabled: pool !== undefined && tab !== 'history' && !isPast(),
  })
  return { query, pool, isDrawn, heatmap, next: next.data }
}

export const PoolPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const tab = search.tab ?? 'addresses'
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const { query, pool, isDrawn, heatmap, next } = usePool(id, tab)
  const { data: networks = [] } = usePermitted('networks:list', {
    ...networksQuery,
    enabled: tab !== 'history' || search.edit !== undefined,
  })
  const [isTaking, setTaking] = useState(false)
  const map = useMemo(() => (heatmap.data ? buildAddressMap(heatmap.data) : undefined), [heatmap.data])
  if (!pool) return <MissingObject noun="pool" parent={PARENT} {...query} />
  const network = networks.find((one) => one.id === pool.network_id)
  const { utilization } = pool
  return (
    <ObjectPage
      noun="pool"
      parent={PARENT}
      id={id}
      title={pool.name}
      managedBy={pool.managed_by}
      get={contracts.pools.get}
      resource={buildPoolResource(networks)}
      edit={{ blocked: may('pools:update') ? undefined : 'pools:update', isInMenu: true }}
      remove={{
        blocked: may('pools:delete') ? undefined : 'pools:delete',
        warning: 'Its reservations are deleted too. The addresses of devices stay, without a pool.',
      }}
      actions={
        <Button look="primary" onClick={() => setTaking(true)} blocked={blocked('reservations:create')}>
          Next free IP
        </Button>
      }
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
            {!isPast() && <Figure label="Next free">{next ?? <Skeleton />}</Figure>}
          </div>
          {tab === 'usage' && <LazyUsage of="pool" id={id} />}
          {history}
          <div className={map && map.blocks === 1 ? css.two : css.one} hidden={tab !== 'addresses'}>
            {isDrawn ? (
              <Card title="Addresses">
                {heatmap.error && !map && <Failure error={heatmap.error} onRetry={() => void heatmap.refetch()} />}
                {!map && !heatmap.error && <Skeleton />}
                {map && (
                  <Heatmap
                    map={map}
                    onFree={(ip) => (
                      <>
                        <Button onClick={() => void set({ new: '1', ip })} blocked={blocked('reservations:create')}>
                          Reserve
                        </Button>
                        <Button
                          blocked={blocked('devices:create')}
                          onClick={() =>
                            void navigate({
                              to: '/devices',
                              search: { new: '1', ip, pool: id, network: pool.network_id },
                            })
                          }
                        >
                          New device here
                        </Button>
                      </>
                    )}
                    onReserved={(ip) => (
                      <Button onClick={() => void navigate({ to: '/reservations', search: { q: ip } })}>
                        Show reservation
                      </Button>
                    )}
                  />
                )}
              </Card>
            ) : (
              <Card title="Addresses">
                <p>
                  This pool has {formatCount(countRange(pool))} addresses. Maps show at most {formatCount(MOST_DRAWN)}.
                  {!isPast() && (
                    <>
                      {' '}
                      Its next free address:{' '}
                      {next === undefined ? <Skeleton width="8em" /> : <b className="mono">{next}</b>}.
                    </>
                  )}
                </p>
              </Card>
            )}
            <div className={css.facts}>
              <PoolFacts pool={pool} network={network} />
              <CustomFacts resource="pools" object={pool} />
            </div>
          </div>
        </PageBody>
      )}
    >
      {isTaking && <AllocateDialog poolId={id} poolName={pool.name} onClose={() => setTaking(false)} />}
      {search.new !== undefined && (
        <ResourceDrawer
          resource={buildReservationResource([pool])}
          id={undefined}
          given={{ pool_id: id, ip_address: search.ip ?? '' }}
          onClose={() => void set({ new: undefined, ip: undefined })}
        />
      )}
    </ObjectPage>
  )
}
