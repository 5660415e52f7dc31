/** One pool: every address of it, and taking one. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { useMemo, useState } from 'react'
import { AppError } from '../../../src/platform/contract/errors.ts'
import { api } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { isCode } from '../api/errors.ts'
import { networksQuery, poolsQuery } from '../api/queries.ts'
import { CommandItems, useCommand } from '../commands/command-menu.tsx'
import { reservationResource } from '../reservations/resource.ts'
import { DeleteDialog } from '../resource/delete-dialog.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/shell.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { count } from '../ui/format.ts'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { Card, Figure, Skeleton } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Usage } from '../utilization/usage.tsx'
import { addressMap } from './address-map.ts'
import { AllocateDialog } from './allocate-dialog.tsx'
import css from './heatmap.module.css'
import { Heatmap } from './heatmap.tsx'
import { PoolFacts } from './pool-facts.tsx'
import { poolResource } from './resource.ts'

const notThere = new AppError('NOT_FOUND', 'There is no such pool')

const route = getRouteApi('/app/pools/$id')

/** In the place of a next address. */
const NO_IP = 'none'

/** The largest pool that the server draws. */
const MOST_DRAWN = 65_536

const usePool = (id: string, isMapShown: boolean) => {
  const pools = useQuery(poolsQuery)
  const pool = pools.data?.find((one) => one.id === id)
  const isDrawn = pool !== undefined && (pool.utilization?.total_ips ?? 0) <= MOST_DRAWN
  const heatmap = useQuery({
    queryKey: ['pool', id, 'heatmap'],
    queryFn: () => api.pools.heatmap({ id }),
    enabled: isDrawn && isMapShown,
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
    enabled: pool !== undefined,
  })
  return { pools, pool, isDrawn, heatmap, next: next.data }
}

export const PoolPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const tab = search.tab ?? 'addresses'
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const { pools, pool, isDrawn, heatmap, next } = usePool(id, tab === 'addresses')
  const { data: networks = [] } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const [isTaking, setTaking] = useState(false)
  const [isDoomed, setPendingDelete] = useState(false)
  const map = useMemo(() => (heatmap.data ? addressMap(heatmap.data) : undefined), [heatmap.data])
  const getCall = useCommand(contracts.pools.get, { id })
  const edit = () => void set({ edit: id })
  useHotkeys({ ...(may('pools:update') && pool ? { e: edit } : {}) })
  const parent = { text: 'Pools', link: { to: '/pools' } } as const
  if (!pool)
    return (
      <>
        <PageHead title="Pool" parent={parent} />
        {pools.data && <Failure error={notThere} noun="pool" />}
        {!pools.data && pools.error && <Failure error={pools.error} onRetry={() => void pools.refetch()} noun="pool" />}
        {!pools.data && !pools.error && <PageLoading />}
      </>
    )
  const network = networks.find((one) => one.id === pool.network_id)
  const { utilization } = pool
  const more = (
    <Button>
      More
      <ChevronDown size={14} aria-hidden="true" />
    </Button>
  )
  const close = () => void set({ edit: undefined, new: undefined, ip: undefined })
  return (
    <>
      <PageHead title={pool.name} parent={parent}>
        <Button look="primary" onClick={() => setTaking(true)} blocked={blocked('reservations:create')}>
          Next free IP
        </Button>
        <Menu trigger={more}>
          <MenuItem onSelect={edit} blocked={may('pools:update') ? undefined : 'pools:update'}>
            Edit pool<kbd>e</kbd>
          </MenuItem>
          <CommandItems getCall={getCall} />
          <MenuLine />
          <MenuItem
            isDanger
            onSelect={() => setPendingDelete(true)}
            blocked={may('pools:delete') ? undefined : 'pools:delete'}
          >
            Delete pool
          </MenuItem>
        </Menu>
      </PageHead>
      <Tabs
        label="About this pool"
        current={tab}
        tabs={[
          { id: 'addresses', text: 'Addresses' },
          { id: 'usage', text: 'Utilization' },
        ]}
      />
      <PageBody>
        <div className={css.figures}>
          <Figure label="Used">{utilization ? count(utilization.used_ips) : '–'}</Figure>
          <Figure label="Reserved">{utilization ? count(utilization.reserved_ips) : '–'}</Figure>
          <Figure label="Free">{utilization ? count(utilization.available_ips) : '–'}</Figure>
          <Figure label="Next free">{next ?? <Skeleton />}</Figure>
        </div>
        {tab === 'usage' && <Usage of="pool" id={id} />}
        <div className={map && map.blocks === 1 ? css.two : css.one} hidden={tab === 'usage'}>
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
                With {utilization ? count(utilization.total_ips) : 'so many'} addresses this pool is too large for a
                map; one is drawn of up to {count(MOST_DRAWN)}. Its next free address:{' '}
                {next === undefined ? <Skeleton width="8em" /> : <b className="mono">{next}</b>}.
              </p>
            </Card>
          )}
          <PoolFacts pool={pool} network={network} />
        </div>
      </PageBody>
      <Hints
        hints={[
          [['e'], 'edit'],
          [['?'], 'all shortcuts'],
        ]}
      />
      {isTaking && <AllocateDialog poolId={id} poolName={pool.name} onClose={() => setTaking(false)} />}
      {search.edit !== undefined && <ResourceDrawer resource={poolResource(networks)} id={id} onClose={close} />}
      {search.new !== undefined && (
        <ResourceDrawer
          resource={reservationResource([pool])}
          id={undefined}
          given={{ pool_id: id, ip_address: search.ip ?? '' }}
          onClose={close}
        />
      )}
      {isDoomed && (
        <DeleteDialog
          resource={poolResource(networks)}
          id={id}
          name={pool.name}
          deleteWarning="Its reservations go with it; the addresses of devices stay, without a pool."
          onClose={() => setPendingDelete(false)}
          onDone={() => void navigate({ to: '/pools' })}
        />
      )}
    </>
  )
}
