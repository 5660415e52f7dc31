/** One RRset: its values, its state, and the devices and own records behind it. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { notFound } from '../../../../src/contract/errors.ts'
import { api } from '../../api/client.ts'
import { deviceQuery } from '../../devices/queries.ts'
import { usePermit } from '../../shell/me.ts'
import { PageLoading } from '../../shell/page-loading.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { Drawer } from '../../ui/layers.tsx'
import { Badge, CopyText, Facts } from '../../ui/primitives.tsx'
import { Failure } from '../../ui/states.tsx'
import css from '../dns.module.css'
import { formatState, STATE_TONES } from '../labels.ts'
import { type RrsetRow, withId, type Zone } from '../queries.ts'

/** More RRsets than contain the name of another one. */
const MOST_FOUND = 1000
/** Devices that claim a name are few. */
const MOST_NAMED = 8

const Devices = ({ ids }: { readonly ids: readonly string[] }) => {
  const { may } = usePermit()
  const shown = ids.slice(0, MOST_NAMED)
  const names = useQueries({
    queries: shown.map((id) => ({ ...deviceQuery(id), enabled: may('devices:read') })),
    combine: (results) => results.map(({ data }) => data?.value.name),
  })
  if (ids.length === 0) return null
  return (
    <ul>
      {shown.map((id, at) => (
        <li key={id}>
          <Link to="/devices/$id" params={{ id }} search={{}} className="link">
            {names[at] ?? id}
          </Link>
        </li>
      ))}
      {ids.length > shown.length && <li className="muted">and {plural(ids.length - shown.length, 'other')}</li>}
    </ul>
  )
}

const Records = ({ name, ids }: { readonly name: string; readonly ids: readonly string[] }) => {
  const [only, ...others] = ids
  const search = others.length === 0 ? { tab: 'records', edit: only } : { tab: 'records', q: name }
  return (
    <Link to="." search={search} className="link">
      {others.length === 0 ? 'own record' : plural(ids.length, 'own record')}
    </Link>
  )
}

const List = ({ values }: { readonly values: readonly string[] }) =>
  values.length === 0 ? null : (
    <ul className={css.values}>
      {values.map((value) => (
        <li key={value} className="mono">
          {value}
        </li>
      ))}
    </ul>
  )

type Props = {
  readonly zone: Zone
  /** Name and type. */
  readonly id: string
  readonly known: RrsetRow | undefined
  /** True while the list, which may contain it, is loaded. */
  readonly isComing: boolean
  readonly onClose: () => void
}

export const RrsetDrawer = ({ zone, id, known, isComing, onClose }: Props) => {
  const [name = '', type = ''] = id.split(' ')
  const {
    data = known,
    error,
    refetch,
  } = useQuery({
    queryKey: ['dns-zone', zone.id, 'rrset', id],
    queryFn: async () => {
      // The filter of the server takes a part of the name.
      const found = (await api.dnsZones.rrsets({ id: zone.id, name, type, limit: MOST_FOUND })).map(withId)
      const one = found.find((rrset) => rrset.id === id)
      if (!one) throw notFound('RRset', id)
      return one
    },
    enabled: known === undefined && !isComing,
  })
  return (
    <Drawer title={`${name} ${type}`} onClose={onClose}>
      <div className={css.drawer}>
        {!data && error && <Failure error={error} onRetry={() => void refetch()} noun="RRset" />}
        {!data && !error && <PageLoading />}
        {data && (
          <Facts
            facts={[
              [
                'State',
                <Badge key="state" tone={STATE_TONES[data.state]}>
                  {data.state}
                </Badge>,
              ],
              ...(formatState(data) === '' ? [] : [['Reason', formatState(data)] as const]),
              ['Full name', <CopyText key="fqdn" text={data.fqdn} label="full name" />],
              ['TTL', data.values.length + data.wanted.length === 0 ? '' : `${formatCount(data.ttl)} s`],
              ['Published', data.values.length === 0 ? '' : <List key="values" values={data.values} />],
              ['Wanted', data.wanted.length === 0 ? '' : <List key="wanted" values={data.wanted} />],
              ['Devices', data.device_ids.length === 0 ? '' : <Devices key="devices" ids={data.device_ids} />],
              [
                'Own records',
                data.record_ids.length === 0 ? '' : <Records key="records" name={name} ids={data.record_ids} />,
              ],
            ]}
          />
        )}
      </div>
    </Drawer>
  )
}
