/** The networks that an address of a device belongs to, as links: several where networks have the same subnet. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { api } from '../api/client.ts'
import type { Address } from '../api/contracts.ts'
import { usePermit } from '../shell/me.ts'

/** The networks that the addresses of a device belong to, also those that an address does not name. */
export const deviceNetworksQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id, 'networks'],
    queryFn: async () => (await api.devices.get({ id, include: ['networks'] })).networks ?? [],
  })

type Props = {
  readonly deviceId: string
  readonly address: Pick<Address, 'ip' | 'space_id'>
  /** In the place of no network. */
  readonly none?: ReactNode
}

export const AddressNetworks = ({ deviceId, address, none = '' }: Props) => {
  const { may } = usePermit()
  const { data = [] } = useQuery({ ...deviceNetworksQuery(deviceId), enabled: may('networks:list') })
  const own = data.filter(({ ip, space_id }) => ip === address.ip && space_id === address.space_id)
  if (own.length === 0) return none
  return own.map(({ id, name }, index) => (
    <Fragment key={id}>
      {index > 0 && ', '}
      <Link to="/networks/$id" params={{ id }} className="link">
        {name}
      </Link>
    </Fragment>
  ))
}
