/** The type of a device, with a link to it. */
import { Link } from '@tanstack/react-router'
import { deviceTypesQuery } from '../api/queries.ts'
import { usePermitted } from '../shell/me.ts'

export const DeviceTypeName = ({ id }: { readonly id: string }) => {
  const { data = [] } = usePermitted('device-types:list', deviceTypesQuery)
  return (
    <Link to="/device-types" search={{ edit: id }} className="link">
      {data.find((type) => type.id === id)?.name ?? id}
    </Link>
  )
}
