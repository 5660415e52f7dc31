/** The addresses of a device, with where they are from. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Address, Device } from '../api/contracts.ts'
import { poolsQuery } from '../api/queries.ts'
import { useCustom } from '../custom-fields/known-custom.tsx'
import { usePermit } from '../shell/me.ts'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import { Card, CopyText } from '../ui/primitives.tsx'
import { AddressNetworks } from './address-networks.tsx'
import css from './devices.module.css'

/** A phone leaves such a cell out. */
const NONE = <span className={css.none}>–</span>

export const AddressesTab = ({ device }: { readonly device: Device }) => {
  const { may } = usePermit()
  const { data: pools = [] } = useQuery({ ...poolsQuery, enabled: may('pools:list') })
  const list = useCustom('addresses')
  if (device.addresses.length === 0)
    return (
      <Card>
        <p className="muted">This device has no address.</p>
      </Card>
    )
  // Addresses have no ids.
  const toRow = ({ custom }: Address) => ({ id: '', custom })
  const custom = list?.usedBy(device.addresses.map(toRow)) ?? []
  const hasInterfaces = device.addresses.some((one) => one.interface)
  return (
    <Card>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <section className={css.scroll} aria-label="Addresses" tabIndex={0}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col">Label</th>
              <th scope="col">DNS name</th>
              <th scope="col">MAC address</th>
              {hasInterfaces && <th scope="col">Interface</th>}
              <th scope="col">Network</th>
              <th scope="col">Pool</th>
              <th scope="col">Port</th>
              <th scope="col">Switch port</th>
              {custom.map(({ name, label }) => (
                <th key={name} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {device.addresses.map((address) => {
              const pool = pools.find(({ id }) => id === address.pool_id)
              return (
                <tr key={`${address.space_id} ${address.ip} ${address.label}`}>
                  <td>
                    <CopyText text={address.ip} label={address.ip} />
                    <SpaceBadge space_id={address.space_id} />
                    {address.role && <span className="muted"> {address.role}</span>}
                  </td>
                  <td data-head="Label">{address.label || NONE}</td>
                  <td data-head="DNS name">{address.dns_name || NONE}</td>
                  <td data-head="MAC address">
                    {address.mac_address === '' ? NONE : <span className="mono">{address.mac_address}</span>}
                  </td>
                  {hasInterfaces && <td data-head="Interface">{address.interface || NONE}</td>}
                  <td data-head="Network">
                    <AddressNetworks deviceId={device.id} address={address} none={NONE} />
                  </td>
                  <td data-head="Pool">
                    {pool ? (
                      <Link to="/pools/$id" params={{ id: pool.id }} className="link">
                        {pool.name}
                      </Link>
                    ) : (
                      NONE
                    )}
                  </td>
                  <td data-head="Port" className="num">
                    {address.port ?? NONE}
                  </td>
                  <td data-head="Switch port">{address.switch_port || NONE}</td>
                  {custom.map(({ name, label, cell }) => (
                    <td key={name} data-head={label}>
                      {cell(toRow(address))}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
    </Card>
  )
}
