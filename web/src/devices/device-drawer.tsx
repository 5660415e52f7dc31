/** Makes or changes a device. Its own URL, so that it can be linked to and left by going back. */
import { useQuery } from '@tanstack/react-query'
import { datacentersQuery } from '../api/queries.ts'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { usePermit } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { emptyAddress, writeAddresses } from './address-form.ts'
import { deviceResource } from './resource.tsx'

type Props = { readonly id: string | undefined; readonly onClose: () => void }

export const DeviceDrawer = ({ id, onClose }: Props) => {
  const { may } = usePermit()
  const { data: datacenters = [] } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const { ip = '', pool = '', network = '' } = usePageSearch().search
  // A key that is always the same: a draft belongs to the values that its form began with.
  const address = emptyAddress({ key: '0', ip, pool_id: pool, network_id: network })
  return (
    <ResourceDrawer
      key={id ?? 'new'}
      resource={deviceResource(datacenters)}
      id={id}
      given={{ addresses: writeAddresses([address]) }}
      onClose={onClose}
    />
  )
}
