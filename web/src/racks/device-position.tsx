/** The place of a device, with a link to its rack. */
import { Link } from '@tanstack/react-router'
import type { Mount } from '../devices/form/mount-values.ts'
import { usePermitted } from '../shell/me.ts'
import { racksQuery } from './known-racks.ts'
import { formatPosition } from './position-text.ts'

export const DevicePosition = ({ mount }: { readonly mount: Mount }) => {
  const { data = [] } = usePermitted('racks:list', racksQuery)
  return (
    <>
      <Link to="/racks/$id" params={{ id: mount.rack_id }} className="link">
        {data.find(({ id }) => id === mount.rack_id)?.name ?? mount.rack_id}
      </Link>
      {`, ${formatPosition(mount)}`}
    </>
  )
}
